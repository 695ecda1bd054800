import { type Meeting, needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ALL_LOOKS, findFaults } from "./support/accessibility.js";
import { type ConsoleScene, SCREENS, useConsole } from "./support/console.js";

/** A link for people outside: created in the console, read in a browser that knows nothing of it. */
describe.each(SCREENS)("links for people outside on %s", needs("chromium"), (_, size) => {
  let scene: ConsoleScene;
  let page: Page;
  let meeting: Meeting;

  useConsole(async (started) => {
    scene = started;
    page = scene.page;
    await page.setViewportSize(size);
    meeting = await scene.server.given.meeting(scene.company.admin, {
      title: "Budget with Ben Cole",
      summary: {
        markdown: "# Turbines\n\nBen Cole calls ben@example.com.\n\n| a | b |\n| - | - |\n| 1 | 2 |",
      },
      transcript: [
        { speakerId: "s1", speakerName: "Ben Cole", text: "The turbines are late.", start: 5, end: 9 },
      ],
      tasks: [{ text: "Call the supplier", assignee: { name: "Ben Cole" } }],
    });
  });

  test("an admin allows them, the owner creates one, a stranger reads it with the password until it is revoked", async () => {
    await scene.visit.open(`/meetings/${meeting.meetingId}`, "Budget with Ben Cole");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByText("Off in this workspace.").waitFor();
    await page.keyboard.press("Escape");
    await scene.visit.go("Public links");
    await page.getByRole("button", { name: "Allow public links" }).click();
    await page.getByText("No meeting has a public link.").waitFor();

    await scene.visit.open(`/meetings/${meeting.meetingId}`, "Budget with Ben Cole");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Share this meeting" });
    await dialog.getByLabel("Shows").selectOption("transcript");
    await dialog.getByLabel("Password (optional)").fill("short");
    await dialog.getByLabel("Mask names").check();
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByText(/8 to 1,000 characters/).waitFor();
    await dialog.getByLabel("Password (optional)").fill("open sesame");
    // In one size: the dialog closes when the page changes its layout.
    expect(await findFaults(page, [[size, "light"]])).toEqual([]);
    await dialog.getByRole("button", { name: "Create link" }).click();
    const url = (await dialog.getByLabel("link", { exact: true }).textContent()) ?? "";
    await dialog.getByText(/Transcript, names masked, password, 0 views/).waitFor();

    const browser = page.context().browser();
    if (!browser) throw new Error("The console's browser has no further contexts.");
    const outside = await browser.newContext();
    try {
      const reader = await outside.newPage();
      await reader.setViewportSize(size);
      const requests: string[] = [];
      reader.on("request", (request) => requests.push(request.url()));
      const path = scene.server.url + new URL(url).pathname;
      const heading = (name: string) => reader.getByRole("heading", { level: 1, name }).waitFor();
      await reader.goto(path);
      await heading("Enter the password");
      expect(await findFaults(reader, [[size, "light"]])).toEqual([]);
      await reader.getByLabel("Password").fill("wrong password");
      await reader.keyboard.press("Enter");
      await reader.getByRole("alert").filter({ hasText: "This password is wrong." }).waitFor();
      expect(await findFaults(reader, [[size, "dark"]])).toEqual([]);
      await reader.getByLabel("Password").fill("open sesame");
      await reader.keyboard.press("Enter");
      await heading("Budget with Speaker 1");
      await reader.getByText("The turbines are late.").waitFor();
      expect(await reader.content()).not.toMatch(/Ben|Cole|ben@example/);
      expect(await findFaults(reader, ALL_LOOKS)).toEqual([]);
      expect(new Set(requests.map((request) => new URL(request).pathname))).toEqual(
        new Set([new URL(path).pathname]),
      );
      expect(await outside.cookies()).toEqual([]);

      await scene.visit.open("/public-links", "Public links");
      await page.getByText("Transcript, names masked, password, 1 view").waitFor();
      expect(await findFaults(page, [[size, "light"]])).toEqual([]);
      await page.getByRole("row").getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("No meeting has a public link.").waitFor();
      expect((await reader.goto(path))?.status()).toBe(404);
      await heading("This link doesn’t work");
      expect(await findFaults(reader)).toEqual([]);
    } finally {
      await outside.close();
    }
  });
});
