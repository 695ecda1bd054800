import { needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  type ConsoleScene,
  chooseAction,
  useConsole,
  visitConsole,
  waitForDialog,
} from "./support/console.js";

/** Keys without a modifier, a phone's actions, and pages without a server. */
describe("the console's shortcuts", needs("chromium"), () => {
  let scene: ConsoleScene;
  let page: Page;
  let meetingId: string;

  useConsole(async (started) => {
    scene = started;
    page = scene.page;
    const { admin } = scene.company;
    for (const title of ["Older", "Newer"])
      ({ meetingId } = await scene.server.given.meeting(admin, {
        title,
        startTime: new Date(Date.now() - (title === "Newer" ? 60_000 : 3_600_000)).toISOString(),
        summary: { markdown: "The **gearbox** is late." },
        transcript: [{ speakerId: "s1", speakerName: "Speaker 1", text: "Hello." }],
        tasks: [{ text: `Task of ${title}` }],
      }));
  });
  const readFocus = () => page.evaluate<string | null>("document.activeElement.textContent");
  const press = (key: string) => page.keyboard.press(key);

  test("j and k move through lists, Enter opens, e edits, s shares, and ? explains them", async () => {
    await scene.visit.open("/meetings", "Meetings");
    await page.getByRole("link", { name: /^Newer/ }).waitFor();
    await press("j");
    await expect.poll(readFocus).toMatch(/^Newer/);
    await press("j");
    await expect.poll(readFocus).toMatch(/^Older/);
    await press("k");
    await press("Enter");
    await page.getByRole("heading", { level: 1, name: "Newer" }).waitFor();
    await press("s");
    await waitForDialog(page, "Share this meeting");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const field = page.getByLabel("Summary in Markdown");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menu").locator(":focus").waitFor();
    await press("e");
    await expect.poll(readFocus).toBe("Edit title");
    expect(await field.count()).toBe(0);
    await press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await press("e");
    await field.waitFor();
    await field.press("e");
    expect(await field.inputValue()).not.toBe("The **gearbox** is late.");
    await page.getByRole("button", { name: "Cancel" }).click();
    await scene.visit.open("/tasks", "Tasks");
    await page.getByText("Task of Older").waitFor();
    await press("j");
    await press("e");
    await page.getByLabel("Task text").waitFor();
    await press("Escape");
    await page.keyboard.press("Shift+?");
    const help = page.getByRole("dialog", { name: "Shortcuts" });
    await help.getByText("Share the meeting").waitFor();
    await help.getByRole("checkbox", { name: "Use the keys without Ctrl" }).uncheck();
    await press("Escape");
    await help.waitFor({ state: "detached" });
    await press("e");
    expect(await page.getByLabel("Task text").count()).toBe(0);
  });

  test("a reader of a meeting has no key for what they can't do", async () => {
    const { server, company, member } = scene;
    const owned = { owner: company.admin, meetingId, taskIds: [] };
    await server.given.shared(owned, member);
    const theirs = await visitConsole(server, member, scene.visit);
    try {
      await theirs.open(`/meetings/${meetingId}`, "Newer");
      await theirs.page.getByText("Task of Newer").waitFor();
      expect(await theirs.page.locator("[data-shortcut]").count()).toBe(0);
      await theirs.page.keyboard.press("e");
      await theirs.page.keyboard.press("s");
      expect(await theirs.page.getByRole("dialog").count()).toBe(0);
    } finally {
      await theirs.close();
    }
  });

  test("a phone's menu has the edits of a meeting in reach, at the end of the page too", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await scene.visit.open(`/meetings/${meetingId}`, "Newer");
    await page.getByText("The gearbox is late.").waitFor();
    await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
    await chooseAction(page, "Name the speakers");
    await waitForDialog(page, "Who is this?");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The field is on the other tab.
    await page.getByRole("tab", { name: "Transcript" }).click();
    await page.getByText("The gearbox is late.").waitFor({ state: "detached" });
    await chooseAction(page, "Edit title");
    await page.getByRole("textbox", { name: "Title", exact: true }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("without a connection, a page that was read is shown again", async () => {
    await scene.visit.open(`/meetings/${meetingId}`, "Newer");
    await page.getByText("The gearbox is late.").waitFor();
    await scene.visit.go("Meetings");
    await page.getByRole("link", { name: /^Newer/ }).waitFor();
    await scene.visit.browser.setOffline(true);
    try {
      await page.getByRole("link", { name: /^Newer/ }).click();
      await page.getByText("The gearbox is late.").waitFor();
      await page.getByRole("link", { name: "Meetings", exact: true }).first().click();
      await page.getByRole("link", { name: /^Older/ }).waitFor();
    } finally {
      await scene.visit.browser.setOffline(false);
    }
  });

  test("200: the manifest makes the console installable", async () => {
    const answer = await fetch(`${scene.server.url}/manifest.webmanifest`);
    expect([answer.status, ((await answer.json()) as { start_url: string }).start_url]).toEqual([
      200,
      "/meetings",
    ]);
    await scene.visit.open("/meetings", "Meetings");
    expect(await page.locator("link[rel=manifest]").count()).toBe(1);
  });
});
