import { createSignInToken } from "@minutes/core";
import { needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { type ConsoleScene, chooseAction, useConsole } from "./support/console.js";

/** What is typed on a meeting's page stays until it is saved or canceled. */
describe("the console: unsaved edits of a meeting", needs("chromium"), () => {
  let scene: ConsoleScene;
  let page: Page;
  let meetingId: string;

  useConsole((started) => {
    scene = started;
    page = scene.page;
  });
  beforeEach(async () => {
    ({ meetingId } = await scene.server.given.meeting(scene.company.admin, {
      title: "Review",
      summary: { markdown: "The gearbox is late." },
      tasks: [{ text: "Call the plant" }],
      transcript: [{ speakerId: "1", speakerName: "Ada", text: "It squeaks." }],
    }));
    await scene.visit.open(`/meetings/${meetingId}`, "Review");
  });

  const summary = () => page.getByLabel("Summary in Markdown");
  const edit = async (text: string) => {
    await page.getByText("The gearbox is late.").waitFor();
    await page.keyboard.press("e");
    await summary().fill(text);
  };

  test("a summary comes back after a reload, after another page and after the session ended", async () => {
    await edit("The gearbox fits.");
    await page.reload();
    await expect.poll(() => summary().inputValue()).toBe("The gearbox fits.");
    await page.getByText("Your unsaved input was restored.").waitFor();
    await scene.visit.go("People");
    await page.goBack();
    await expect.poll(() => summary().inputValue()).toBe("The gearbox fits.");
    await scene.visit.browser.clearCookies();
    // The page can notice before that the session ended, and then has no button to save.
    const save = page.getByRole("button", { name: "Save" });
    const signIn = page.getByRole("heading", { name: "Sign in to Minutes" });
    await expect
      .poll(async () => {
        await save.click({ timeout: 1_000 }).catch(() => {});
        return signIn.count();
      })
      .toBe(1);
    await page.getByText("What you typed is not saved yet.").waitFor();
    const token = await createSignInToken(scene.server.db, scene.company.admin.userId);
    await page.goto(`${page.url()}#${token}`);
    await page.getByRole("button", { name: /^Sign in as / }).click();
    await expect.poll(() => summary().inputValue()).toBe("The gearbox fits.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".summary", { hasText: "The gearbox fits." }).waitFor();
    await page.reload();
    await page.locator(".summary", { hasText: "The gearbox fits." }).waitFor();
    expect(await summary().count()).toBe(0);
  });

  test("a title comes back after a reload, and Cancel discards it", async () => {
    await chooseAction(page, "Edit title");
    await page.getByLabel("Title").fill("Revue");
    await page.reload();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Revue");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.reload();
    await chooseAction(page, "Edit title");
    expect(await page.getByLabel("Title").inputValue()).toBe("Review");
  });

  test("a turn's correction is offered after a reload, and saved", async () => {
    await page.getByRole("button", { name: "Edit this turn" }).click();
    await page.getByLabel("What was said").fill("It hums.");
    await page.reload();
    await page.getByText("Your correction of turn 1 is not saved.").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => page.getByLabel("What was said").inputValue()).toBe("It hums.");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.locator(".turn-text", { hasText: "It hums." }).waitFor();
    await expect.poll(() => page.getByText("is not saved").count()).toBe(0);
  });

  test("a draft of a summary that was saved in another tab replaces it only by a button that says so", async () => {
    await edit("The gearbox fits.");
    const other = await scene.visit.browser.newPage();
    await other.goto(page.url());
    await other.locator(".notes").getByRole("button", { name: "Edit", exact: true }).first().click();
    await other.getByLabel("Summary in Markdown").fill("It rattles.");
    await other.getByRole("button", { name: "Save" }).click();
    await other.locator(".summary", { hasText: "It rattles." }).waitFor();
    await other.close();
    await page.reload();
    await page.getByText("This was changed after you began to edit it.").waitFor();
    expect(await summary().inputValue()).toBe("The gearbox fits.");
    await page.getByRole("button", { name: "Replace" }).click();
    await page.locator(".summary", { hasText: "The gearbox fits." }).waitFor();
  });

  test("Escape closes the summary's editor and keeps what was typed", async () => {
    await edit("The gearbox fits.");
    await page.keyboard.press("Escape");
    await summary().waitFor({ state: "detached" });
    await page.keyboard.press("e");
    await expect.poll(() => summary().inputValue()).toBe("The gearbox fits.");
    await page.getByRole("button", { name: "Start over" }).click();
    await expect.poll(() => summary().inputValue()).toBe("The gearbox is late.");
  });

  test("a summary that the plan locks has no Edit button, and its key does nothing", async () => {
    await scene.server.db.execute(sql`update summaries set locked = true`);
    await page.reload();
    await page.getByText("The plan's limits lock the summary.").waitFor();
    expect(await page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);
    const task = page.getByRole("button", { name: "Edit: Call the plant" });
    await task.waitFor();
    await page.keyboard.press("e");
    expect([await task.count(), await summary().count()]).toEqual([1, 0]);
  });
});
