import { readdirSync, readFileSync } from "node:fs";
import { type Company, needs, type Person, type TestServer, testServer } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";
import { toRepositoryPath } from "./support/run.js";

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
    await visit.go("Upload");
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
    await visit.go("Plan and usage");
    await page.getByRole("img", { name: /Credits by month\. .*: 1$/ }).waitFor();
    await page.getByRole("img", { name: /Requests of the last hour\. [1-9]\d* requests/ }).waitFor();
    await page.getByText("None of your summaries is locked.").waitFor();
  });

  test("vocabulary: a term is added and removed, and counted against the limit", async () => {
    await visit.go("Vocabulary");
    const team = page.getByRole("region", { name: "The team's terms" });
    await team.getByText(/^0 of \d+ terms used$/).waitFor();
    await team.getByLabel("New term").fill("Gearbox");
    await page.keyboard.press("Enter");
    await team.getByText(/^1 of \d+ terms used$/).waitFor();
    await team.getByRole("button", { name: "Remove Gearbox" }).click();
    await team.getByText(/^0 of \d+ terms used$/).waitFor();
  });

  test("recorders: a credential is shown once, lets a recorder in, and is revoked after a question", async () => {
    await visit.go("Recorders");
    await page.getByLabel("Name of the recorder").fill("Meeting room");
    await page.keyboard.press("Enter");
    const credential = (await page.getByLabel("credential", { exact: true }).textContent()) ?? "";
    const ask = () => server.call(credential, "ingest/vocabulary.get", { ownerEmail: company.admin.email });
    expect((await ask()).status).toBe(200);
    await page.getByRole("button", { name: "Hide the credential" }).click();
    expect(await page.content()).not.toContain(credential);
    const row = page.getByRole("row", { name: /Meeting room/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    expect((await ask()).status).toBe(401);
  });

  test("account: name, password and colours are changed; another session is signed out", async () => {
    const other = await visitConsole(server, company.admin, visit);
    try {
      await visit.go("Account");
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Ada Admin");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Your name is changed.").waitFor();
      await page.getByRole("region", { name: "Sessions" }).getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("region", { name: "Sessions" }).getByRole("button").waitFor({ state: "detached" });
      await other.page.getByRole("link", { name: "Tasks" }).click();
      await other.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
      await page.getByLabel("New password").fill("a password of this test");
      await page.getByRole("button", { name: "Change" }).click();
      await page.getByText("Your password is changed.").waitFor();
      await page.getByText("Dark", { exact: true }).last().click();
      expect(await page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
      await page.getByText("As the system", { exact: true }).click();
    } finally {
      await other.close();
    }
  });

  test("connect: the curl line works with a key", async () => {
    await visit.go("Connect");
    const line = (await page.getByLabel("curl snippet", { exact: true }).textContent()) ?? "";
    const url = /http\S+$/.exec(line)?.[0] ?? "";
    const answer = await fetch(url, { headers: { "x-api-key": company.admin.key } });
    expect(answer.status).toBe(200);
  });

  test("has the styles of every component whose script it has", () => {
    const library = readFileSync(
      toRepositoryPath("apps/console/node_modules/@mantine/core/styles.css"),
      "utf8",
    );
    const assets = `${CONSOLE_DIRECTORY}/assets`;
    const read = (end: string) =>
      readdirSync(assets)
        .filter((name) => name.endsWith(end))
        .map((name) => readFileSync(`${assets}/${name}`, "utf8"))
        .join("");
    const [scripts, styles] = [read(".js"), read(".css")];
    const used = [...new Set(scripts.match(/\bm_[0-9a-f]{6,8}\b/g))];
    expect(used.length).toBeGreaterThan(100);
    expect(used.filter((name) => library.includes(`.${name}`) && !styles.includes(`.${name}`))).toEqual([]);
  });

  test("a lost connection is shown, and the page goes on when it is back", async () => {
    await visit.go("Tasks");
    await page.route("**/{console,settings}/v1/**", (route) => route.abort());
    await page.route("**/health", (route) => route.abort());
    await page.getByText("All", { exact: true }).click();
    await page.getByText("The connection is lost.").waitFor();
    await page.unrouteAll();
    await page.getByText("The connection is lost.").waitFor({ state: "detached", timeout: 30_000 });
    await page.getByText("No tasks here.").waitFor();
  });

  test("a member who moves to another workspace sees nothing of this one on the next click", async () => {
    const mover = await server.given.member(company);
    const meeting = await server.given.meeting(company.admin, { title: "For members" });
    await server.given.shared(meeting, mover);
    const theirs = await visitConsole(server, mover, visit);
    try {
      await theirs.page.getByRole("link", { name: /^For members/ }).click();
      await theirs.page.getByRole("tab", { name: "Summary" }).waitFor();
      await server.given.joins(mover, await server.given.company());
      await theirs.page.getByRole("link", { name: "Meetings", exact: true }).click();
      await theirs.page.getByText("No meetings here.").waitFor();
      await theirs.page.goBack();
      await theirs.page
        .getByRole("alert")
        .filter({ hasText: /access/ })
        .waitFor();
      expect(await theirs.page.getByText("For members").count()).toBe(0);
    } finally {
      await theirs.close();
    }
  });

  test("a member has no entry for admins' pages, and a removed one sees nothing on the next click", async () => {
    const theirs = await visitConsole(server, member, visit);
    try {
      expect(await theirs.page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
      await theirs.open("/audit", "Audit log");
      await theirs.page.getByText("The audit log is for admins.").waitFor();
      await visit.go("Members");
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
