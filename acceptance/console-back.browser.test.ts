import { needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type ConsoleScene, chooseAction, useConsole, waitForDialog } from "./support/console.js";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };

/** The browser's Back, and where the focus is after it and after dialogs. */
describe("going back in the console", needs("chromium"), () => {
  let scene: ConsoleScene;
  let page: Page;
  let meetingId: string;

  useConsole(async (started) => {
    scene = started;
    page = scene.page;
    for (const [title, startTime] of [
      ["First", "2026-01-05T10:00:00Z"],
      ["Second", "2026-01-06T10:00:00Z"],
      ["Third", "2026-01-07T10:00:00Z"],
    ] as const)
      ({ meetingId } = await scene.server.given.meeting(scene.company.admin, { title, startTime }));
  });

  const readPath = () => new URL(page.url()).pathname;
  const readFocus = () =>
    page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.innerText");
  const button = (name: string) => page.getByRole("button", { name, exact: true }).first();
  const opened = () => page.locator("[role=dialog]:visible, [role=menu]:visible");

  test("Back closes a dialog, a menu, the search and a phone's drawer; then it leaves the page", async () => {
    await page.setViewportSize(PHONE);
    // The dialogs close also where the meeting is the first page that was opened.
    await scene.visit.open("/meetings", "Meetings");
    await scene.visit.open(`/meetings/${meetingId}`, "Third");
    const meeting = readPath();
    for (const name of ["Share", "More", "Search", "Share"]) {
      await button(name).click();
      await opened().first().waitFor();
      await page.goBack();
      await expect.poll(() => opened().count(), { message: name }).toBe(0);
      expect(readPath()).toBe(meeting);
    }
    const menu = button("Menu");
    await menu.click();
    await expect.poll(() => menu.getAttribute("aria-expanded")).toBe("true");
    await page.goBack();
    await expect.poll(() => menu.getAttribute("aria-expanded")).toBe("false");
    // What opens after another one was closed, and a page that is opened from it, need one step back each.
    await button("Share").click();
    await waitForDialog(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => opened().count()).toBe(0);
    await menu.click();
    await page.getByRole("navigation").getByRole("link", { name: "Tasks" }).click();
    await page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Third" }).waitFor();
    await button("Share").click();
    await waitForDialog(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => opened().count()).toBe(0);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Meetings" }).waitFor();
    await page.setViewportSize(DESKTOP);
  });

  test("the focus comes back to the meeting's row, and `j` goes on from there; after a dialog to what opened it", async () => {
    await scene.visit.open("/meetings", "Meetings");
    await page.locator(".row-link").nth(2).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Second" }).waitFor();
    await page.keyboard.press("s");
    await waitForDialog(page);
    await page.getByRole("region", { name: "Who can read this meeting" }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.placeholder")).toMatch(/^Name or e-mail/);
    await page.keyboard.press("Escape");
    await expect.poll(() => opened().count()).toBe(0);
    await expect.poll(readFocus).toBe("Share");
    await chooseAction(page, "Delete");
    await waitForDialog(page);
    await page.goBack();
    await expect.poll(readFocus).toBe("More");
    await page.goBack();
    await expect.poll(readFocus).toMatch(/^Second/);
    await page.keyboard.press("j");
    await expect.poll(readFocus).toMatch(/^First/);
    await page.setViewportSize(PHONE);
    await page.locator(".row-link", { hasText: "First" }).click();
    await chooseAction(page, "Delete");
    await waitForDialog(page);
    await page.keyboard.press("Escape");
    await expect.poll(readFocus).toBe("More");
    await page.setViewportSize(DESKTOP);
  });
});
