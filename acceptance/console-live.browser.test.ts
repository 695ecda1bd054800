import { needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { type ConsoleScene, SCREENS, useConsole, waitForDialog } from "./support/console.js";

/** Finding things, and lists that follow what happens elsewhere, on both sizes of the console. */
describe.each(SCREENS)("on %s", needs("chromium"), (_, size) => {
  let scene: ConsoleScene;
  let page: Page;

  useConsole((started) => {
    scene = started;
    page = scene.page;
  });
  beforeEach(() => page.setViewportSize(size));

  const give = (title: string, daysAgo = 1) =>
    scene.server.given.meeting(scene.company.admin, {
      title,
      startTime: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
    });

  test("an open list shows a new meeting by itself", async () => {
    await give("Here before");
    await scene.visit.go("Meetings");
    await page.getByRole("link", { name: /^Here before/ }).waitFor();
    await give("Arrived just now", 0);
    await page.getByRole("link", { name: /^Arrived just now/ }).waitFor();
  });

  test("Ctrl+K searches also while typing, and Ask puts the cursor into its field", async () => {
    await scene.visit.go("People");
    await page.getByRole("searchbox", { name: "Find people" }).focus();
    await page.keyboard.press("Control+k");
    await waitForDialog(page, "Search");
    await page.keyboard.press("Escape");
    await scene.visit.go("Meetings");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const readFocus = () => page.evaluate<string>(`document.activeElement.getAttribute("aria-label")`);
    await expect.poll(readFocus).toBe("Ask about your meetings");
  });

  test("meetings found by title have a date, and there are more than ten", async () => {
    for (let day = 1; day <= 12; day++) await give(`Quarry ${day}`, day);
    await scene.visit.go("Meetings");
    await page.getByRole("searchbox", { name: "Search meetings" }).fill("quarry");
    const found = page.getByRole("region", { name: "Titles and people" });
    await expect.poll(() => found.getByRole("link").count()).toBe(10);
    const year = String(new Date(Date.now() - 86_400_000).getFullYear());
    expect(await found.getByRole("link").first().textContent()).toContain(year);
    await found.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => found.getByRole("link").count()).toBe(12);
  });

  test("/settings leads to the settings", async () => {
    await scene.visit.open("/settings", "Account");
    expect(new URL(page.url()).pathname).toBe("/account");
    expect(scene.visit.faults).toEqual([]);
  });
});
