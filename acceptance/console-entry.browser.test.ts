import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSignInToken } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { givePassword, needs, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, test } from "vitest";
import { CONSOLE_DIRECTORY, type ConsoleVisit, useConsole, visitConsole } from "./support/console.js";

/** Coming in and going out: links, the sign-in form and signing out. */
describe("the console's way in", needs("chromium"), () => {
  let server: TestServer;
  let member: Person;
  let visit: ConsoleVisit;
  let page: Page;

  useConsole((scene) => ({ server, member, visit, page } = scene));

  test("a link that was already used says how to get another one", async () => {
    const link = `${server.url}/sign-in#${await createSignInToken(server.db, member.userId)}`;
    for (const isUsed of [false, true]) {
      const context = await page.context().browser()?.newContext();
      if (!context) throw new Error("The browser is closed.");
      const visitor = await context.newPage();
      await visitor.goto(link);
      if (isUsed) {
        await visitor.getByRole("alert").filter({ hasText: "expired or was already used" }).waitFor();
        await visitor.getByLabel("command for a link", { exact: true }).waitFor();
        await visitor.getByText("docker exec minutes login <e-mail>").waitFor();
      } else {
        await visitor.getByRole("button", { name: /^Sign in as / }).click();
        await visitor.getByRole("heading", { name: "Meetings" }).waitFor();
      }
      await context.close();
    }
  });

  test("a one-time link that is opened while the console is being built signs in once it is there", async () => {
    const building = await mkdtemp(join(tmpdir(), "minutes-console-"));
    const early = await startTestServer({ database: server.database, consoleDirectory: building });
    const context = await page.context().browser()?.newContext();
    try {
      if (!context) throw new Error("The browser is closed.");
      const visitor = await context.newPage();
      await visitor.goto(`${early.url}/sign-in#${await createSignInToken(server.db, member.userId)}`);
      await visitor.getByText("Preparing the console…").waitFor();
      // The build writes its page last, which is what the server waits for.
      const html = join(building, "index.html");
      await cp(CONSOLE_DIRECTORY, building, { recursive: true, filter: (_from, to) => to !== html });
      await cp(join(CONSOLE_DIRECTORY, "index.html"), html);
      await visitor.getByRole("button", { name: `Sign in as ${member.email}` }).click();
      await visitor.getByRole("heading", { name: "Meetings", level: 1 }).waitFor();
    } finally {
      await context?.close();
      await early.close();
      await rm(building, { recursive: true, force: true });
    }
  });

  test("the sign-in form says what is missing beside its field, and that a password is wrong", async () => {
    const context = await page.context().browser()?.newContext();
    if (!context) throw new Error("The browser is closed.");
    await givePassword(server, member);
    const visitor = await context.newPage();
    await visitor.goto(`${server.url}/sign-in`);
    const [email, password] = [
      visitor.getByLabel("E-mail", { exact: true }),
      visitor.locator("input[type=password]"),
    ];
    const submit = visitor.getByRole("button", { name: "Sign in", exact: true });
    await email.fill("anna");
    await submit.click();
    await visitor.getByText("Enter an e-mail address, such as name@example.com.").waitFor();
    await email.fill("");
    await submit.click();
    await visitor.getByText("Fill in this field.").waitFor();
    await email.fill(member.email);
    await password.fill("not the password");
    await submit.click();
    await visitor.getByRole("alert").waitFor();
    await context.close();
  });

  test("signing out everywhere ends every session, and leads to the sign-in page", async () => {
    const [first, second] = [
      await visitConsole(server, member, visit),
      await visitConsole(server, member, visit),
    ];
    try {
      await first.page.getByRole("button", { name: /^Your menu/ }).click();
      await first.page.getByRole("menuitem", { name: "Sign out everywhere" }).click();
      await first.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
      await second.page.getByRole("link", { name: "Tasks" }).click();
      await second.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    } finally {
      await first.close();
      await second.close();
    }
  });
});
