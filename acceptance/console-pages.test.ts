import { type Company, needs, type Person, type TestServer, testServer } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";

/** What people do on the pages around meetings, with a real server. */
describe("the console's pages", { ...needs("chromium"), timeout: 60_000 }, () => {
  let server: TestServer;
  let company: Company;
  let member: Person;
  let visit: ConsoleVisit;
  let page: Page;

  beforeAll(async () => {
    await buildConsole();
    server = await testServer({ consoleDirectory: CONSOLE_DIRECTORY });
    company = await server.given.company();
    member = await server.given.member(company);
    visit = await visitConsole(server, company.admin);
    page = visit.page;
  }, 180_000);
  afterAll(async () => {
    await visit?.close();
    await server?.close();
  });

  test("upload: each file shows what became of it, with the importer's sentence for a bad one", async () => {
    await visit.open("/upload", "Upload");
    const vtt =
      "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>The new gearbox has come at last, and it fits.</v>\n";
    await page.getByLabel("Files to upload").setInputFiles([
      { name: "Gearbox 2026-03-01.vtt", mimeType: "text/vtt", buffer: Buffer.from(vtt) },
      { name: "broken.json", mimeType: "application/json", buffer: Buffer.from("{") },
    ]);
    await page.getByText("2 of 2 files read").waitFor();
    const good = page.getByRole("article", { name: "Gearbox 2026-03-01.vtt" });
    expect(await good.textContent()).toContain("1 imported, 0 already there, 0 failed.");
    const bad = page.getByRole("article", { name: "broken.json" });
    expect(await bad.getByRole("alert").textContent()).toContain("not valid JSON");
    await good.getByRole("link", { name: "Open the meeting" }).click();
    await page.getByRole("heading", { name: "Gearbox" }).waitFor();
    // The list of files is still there when the back button comes back to it.
    await page.goBack();
    await page.getByText("2 of 2 files read").waitFor();
  });

  test("plan and usage: the charts say in words what they show", async () => {
    await server.call(company.key, "workspace/meetings.list");
    await visit.open("/plan", "Plan and usage");
    await page.getByRole("img", { name: /Credits by month\. .*: 1$/ }).waitFor();
    await page.getByRole("img", { name: /Requests of the last hour\. [1-9]\d* requests/ }).waitFor();
    await page.getByText("None of your summaries is locked.").waitFor();
  });

  test("connect: the curl line works with a key", async () => {
    await visit.open("/connect", "Connect");
    const line = (await page.getByLabel("curl snippet", { exact: true }).textContent()) ?? "";
    const url = /http\S+$/.exec(line)?.[0] ?? "";
    const answer = await fetch(url, { headers: { "x-api-key": company.admin.key } });
    expect(answer.status).toBe(200);
  });

  test("a lost connection is shown, and the page goes on when it is back", async () => {
    await visit.open("/tasks", "Tasks");
    await page.route("**/{console,settings}/v1/**", (route) => route.abort());
    await page.route("**/health", (route) => route.abort());
    await page.getByText("All", { exact: true }).click();
    await page.getByText("The connection is lost.").waitFor();
    await page.unrouteAll();
    await page.getByText("The connection is lost.").waitFor({ state: "detached", timeout: 30_000 });
    await page.getByText("No tasks here.").waitFor();
  });

  test("a member has no entry for admins' pages, and a removed one sees nothing on the next click", async () => {
    const theirs = await visitConsole(server, member);
    try {
      expect(await theirs.page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
      await theirs.open("/audit", "Audit log");
      await theirs.page.getByText("The audit log is for admins.").waitFor();
      await page.goto(`${server.url}/members`);
      await page
        .getByRole("row", { name: new RegExp(member.email) })
        .getByRole("button", { name: /^Remove/ })
        .click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("cell", { name: member.email }).waitFor({ state: "detached" });
      await theirs.page.getByRole("link", { name: "Meetings", exact: true }).click();
      await theirs.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    } finally {
      await theirs.close();
    }
  });
});
