import { rm, writeFile } from "node:fs/promises";
import type { TestServer } from "@minutes/server/testing";
import { type Company, needs, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type ConsoleVisit, press, useConsole, visitConsole } from "./support/console.js";
import { run, toRepositoryPath } from "./support/run.js";

/** The settings, and what changes when a person's access does, with a real server. */
describe("the console's settings", needs("chromium"), () => {
  let server: TestServer;
  let company: Company;
  let member: Person;
  let visit: ConsoleVisit;
  let page: Page;

  useConsole((scene) => ({ server, company, member, visit, page } = scene));

  test("vocabulary: a term is added and removed, and counted against the limit", async () => {
    await visit.go("Vocabulary");
    const team = page.getByRole("region", { name: "Team terms" });
    await team.getByText(/^0 of \d+ terms used$/).waitFor();
    await team.getByLabel("New term").fill("Gearbox");
    await page.keyboard.press("Enter");
    await team.getByText(/^1 of \d+ terms used$/).waitFor();
    await team.getByRole("button", { name: "Remove Gearbox" }).click();
    await team.getByText(/^0 of \d+ terms used$/).waitFor();
  });

  test("retention: a rule for a tag that no member has says so, before and after it is set", async () => {
    await visit.go("Retention");
    await page.getByLabel("Days", { exact: true }).fill("30");
    await page.getByRole("textbox", { name: "Tag" }).fill("Misspelled");
    await page.getByRole("button", { name: "Preview" }).click();
    const unused = page.getByText("No member has a tag named “Misspelled”");
    await page.getByRole("status").filter({ has: unused }).waitFor();
    await page.getByRole("button", { name: "Set the rule" }).click();
    await page.getByText("With the tag “Misspelled”").waitFor();
    await unused.first().waitFor();
  });

  test("audio is kept for the days that an admin says, until they end it", async () => {
    await visit.go("Retention");
    const audio = page.getByRole("region", { name: "Audio of recordings" });
    await audio.getByText("Audio is not kept.").waitFor();
    await audio.getByLabel("Days to keep audio").fill("0");
    await page.keyboard.press("Enter");
    await audio.getByText("Enter 1 or more.").waitFor();
    await audio.getByLabel("Days to keep audio").fill("30");
    await page.keyboard.press("Enter");
    await audio.getByText("Audio is kept for 30 days. 0 of 50 GB are taken.").waitFor();
    await audio.getByRole("button", { name: "Keep no audio" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await audio.getByText("Audio is not kept.").waitFor();
  });

  test("an address without a page has the navigation and links to meetings and tasks", async () => {
    await visit.open("/nope/nothing", "Page not found");
    await page.getByRole("navigation").getByRole("link", { name: "Tasks" }).waitFor();
    await page.getByRole("link", { name: "your meetings" }).click();
    await page.getByRole("heading", { level: 1, name: "Meetings" }).waitFor();
  });

  test("recorders: a credential is shown once, lets a recorder in, and is revoked after a question", async () => {
    await visit.go("Developers");
    await page.getByLabel("Recorder name").fill("Meeting room");
    await page.keyboard.press("Enter");
    const credential = (await page.getByLabel("credential", { exact: true }).textContent()) ?? "";
    const ask = () => server.call(credential, "ingest/vocabulary.get", { ownerEmail: company.admin.email });
    expect((await ask()).status).toBe(200);
    await page.getByRole("button", { name: "Hide the credential" }).click();
    await expect.poll(() => page.content()).not.toContain(credential);
    const row = page.getByRole("row", { name: /Meeting room/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    expect((await ask()).status).toBe(401);
  });

  test("account: name, password and colors are changed; another session is signed out", async () => {
    const other = await visitConsole(server, company.admin, visit);
    try {
      await visit.go("Account");
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Ada Admin");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Name changed.").waitFor();
      await page.getByRole("region", { name: "Sessions" }).getByText("127.0.0.0/24").first().waitFor();
      await page.getByRole("region", { name: "Sessions" }).getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("region", { name: "Sessions" }).getByRole("button").waitFor({ state: "detached" });
      await other.page.getByRole("link", { name: "Tasks" }).click();
      await other.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
      await page.getByLabel("New password").fill("a password of this test");
      await page.getByRole("button", { name: "Change" }).click();
      await page.getByText("Password changed.").waitFor();
      await page.getByText("The one you sign in with.").waitFor();
      await page.getByRole("button", { name: /^Your menu/ }).click();
      await page.getByRole("menuitem", { name: "Dark" }).click();
      await expect.poll(() => page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
      await page.getByRole("menuitem", { name: "System" }).click();
      await press(page, "Escape");
    } finally {
      await other.close();
    }
  });

  const copy = async (name: string) => {
    await page.getByRole("tab", { name, exact: true }).click();
    return (await page.getByLabel(`${name} snippet`, { exact: true }).textContent()) ?? "";
  };

  test("connect: curl and TypeScript work as they are copied, with the key that a button creates", async () => {
    await server.given.meeting(company.admin);
    await visit.go("Developers");
    await page.getByText("2 of 3 keys left").waitFor();
    await page.getByRole("button", { name: "Create read-only key" }).dblclick();
    await page.getByText("1 of 3 keys left").waitFor();
    expect(await run("sh", ["-c", await copy("curl")])).toContain('"meetings":[');
    const file = toRepositoryPath("acceptance/connect-snippet.mts");
    await writeFile(file, await copy("TypeScript"));
    try {
      expect(
        await run(process.execPath, [toRepositoryPath("node_modules/tsx/dist/cli.mjs"), file]),
      ).toContain("title:");
    } finally {
      await rm(file);
    }
  });

  test("connect: every assistant's recipe reaches the tools with that key, or is asked to sign in", async () => {
    const question = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const types = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const ask = (url: string, headers: Readonly<Record<string, string>>) =>
      fetch(url, { method: "POST", headers: { ...headers, ...types }, body: question });
    const command = /^claude mcp add --transport http minutes (\S+) --header "(\S+): (\S+)"$/;
    const [, address = "", header = "", key = ""] = command.exec(await copy("Claude Code")) ?? [];
    for (const { url, headers } of [
      { url: address, headers: { [header]: key } },
      JSON.parse(await copy("Cursor")).mcpServers.minutes,
      JSON.parse(await copy("VS Code")).servers.minutes,
    ])
      expect(await (await ask(url, headers)).text()).toContain("search_meetings");
    const { args, env } = JSON.parse(await copy("Claude Desktop")).mcpServers.minutes;
    const [program, ...rest] = args;
    const file = toRepositoryPath(program.replace("/path/to/minutes/", ""));
    const pipe = ["-c", 'echo "$QUESTION" | "$0" "$@"', process.execPath, file, ...rest];
    expect(await run("sh", pipe, { env: { ...env, QUESTION: question } })).toContain("search_meetings");
    for (const name of ["Claude on the web", "ChatGPT"]) {
      const { status, headers } = await ask(await copy(name), {});
      expect([name, status, headers.get("www-authenticate")]).toEqual([
        ...[name, 401],
        expect.stringContaining("Bearer"),
      ]);
    }
  });

  test("a member who moves to another workspace sees nothing of this one on the next click", async () => {
    const mover = await server.given.member(company);
    const meeting = await server.given.meeting(company.admin, { title: "For members" });
    await server.given.shared(meeting, mover);
    const theirs = await visitConsole(server, mover, visit);
    try {
      await theirs.page.getByRole("link", { name: /^For members/ }).click();
      await theirs.page.getByRole("heading", { name: "Summary" }).waitFor();
      await server.given.joins(mover, await server.given.company());
      await theirs.page.getByRole("link", { name: "Meetings", exact: true }).click();
      await theirs.page.getByText("Add your first meeting").waitFor();
      await theirs.page.goBack();
      await theirs.page.getByText("You can't open this meeting").waitFor();
      await expect.poll(() => theirs.page.getByText("For members").count()).toBe(0);
    } finally {
      await theirs.close();
    }
  });

  test("a member has no entry for admins' pages, and a removed one sees nothing on the next click", async () => {
    const theirs = await visitConsole(server, member, visit);
    try {
      await expect.poll(() => theirs.listPages()).not.toContain("Audit log");
      await theirs.open("/audit", "Audit log");
      await theirs.page.getByText("Only admins can see the audit log.").waitFor();
      await visit.go("Members");
      await page
        .getByRole("row", { name: new RegExp(member.email) })
        .getByRole("button", { name: /^Remove/ })
        .click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("cell", { name: member.email }).waitFor({ state: "detached" });
      await theirs.page.getByRole("link", { name: "Back to meetings" }).click();
      await theirs.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    } finally {
      await theirs.close();
    }
  });

  test("after a leak: an admin revokes everything after a question, and keys, sessions and their own access end", async () => {
    const other = await server.given.member(company);
    const theirs = await visitConsole(server, other, visit);
    try {
      await visit.go("Members");
      const button = page.getByRole("button", { name: "Revoke everything" });
      await button.click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      expect((await server.call(other.key, "me/meetings.list")).status).toBe(200);
      await button.click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke everything" }).click();
      await page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
      for (const [key, procedure] of [
        [other.key, "me/meetings.list"],
        [company.key, "workspace/meetings.list"],
      ] as const)
        expect((await server.call(key, procedure)).status).toBe(401);
      await theirs.page.getByRole("link", { name: "Tasks" }).click();
      await theirs.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    } finally {
      await theirs.close();
    }
  });
});
