import { givePassword, needs, PASSWORD } from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type ConsoleScene,
  type ConsoleVisit,
  SCREENS,
  useConsole,
  visitConsole,
} from "./support/console.js";

/** What needs a recent sign-in asks for it where it is needed, on both sizes of the console. */
describe.each(SCREENS)("on %s", needs("chromium"), (_, size) => {
  let scene: ConsoleScene;
  let own: ConsoleVisit;
  let page: Page;

  useConsole(async (started) => {
    scene = started;
    // A new password ends other sessions, so the page comes after it.
    await givePassword(scene.server, scene.member);
    own = await visitConsole(scene.server, scene.member, scene.visit);
    page = own.page;
  });
  beforeEach(() => page.setViewportSize(size));

  test("creating a key long after signing in asks for the password, keeps the input and goes on", async () => {
    await own.open("/developers", "Developers");
    await scene.server.db.execute(sql`update sessions set created_at = created_at - interval '1 day'`);
    await page.getByRole("button", { name: "Create a key" }).click();
    const form = page.getByRole("dialog", { name: "Create an API key" });
    await form.getByLabel("Name").fill("weekly report");
    await form.getByRole("button", { name: "Create", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Confirm that it's you" });
    await question.getByLabel("Password", { exact: true }).fill("wrong");
    await question.getByRole("button", { name: "Confirm" }).click();
    await question.getByRole("alert").waitFor();
    await question.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await question.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("row", { name: /^weekly report/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/developers");
  });

  test("closing the question changes nothing and keeps the input", async () => {
    await scene.server.db.execute(sql`update sessions set created_at = created_at - interval '1 day'`);
    await page.getByRole("button", { name: "Create a key" }).click();
    const form = page.getByRole("dialog", { name: "Create an API key" });
    await form.getByLabel("Name").fill("not yet");
    await form.getByRole("button", { name: "Create", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Confirm that it's you" });
    await question.getByLabel("Password", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await expect.poll(() => form.getByLabel("Name").inputValue()).toBe("not yet");
    expect(await page.getByRole("row", { name: /^not yet/ }).count()).toBe(0);
  });
});
