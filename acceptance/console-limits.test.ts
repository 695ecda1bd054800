import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";
import { givenHostileContent, WEBHOOKS } from "./support/cross-site-scripting.js";

/** What the console may load and run. */
describe("the console's limits", needs("chromium"), () => {
  let server: TestServer;
  let company: Company;
  let visit: ConsoleVisit;
  let page: Page;

  beforeAll(async () => {
    await buildConsole();
    server = await startTestServer({ consoleDirectory: CONSOLE_DIRECTORY, webhooks: WEBHOOKS });
    company = await server.given.company();
    visit = await visitConsole(server, company.admin);
    page = visit.page;
  });
  afterAll(async () => {
    await visit?.close();
    await server?.close();
  });

  test(
    "the first page loads at most 200 KB of gzipped JavaScript, and asks for nothing twice",
    needs("embedded"),
    async () => {
      const { meetingId } = await server.given.richMeeting(company.admin);
      // In a new page: hovering over a link preloads its page.
      const first = await page.context().newPage();
      const asked: string[] = [];
      first.on("request", (request) => {
        if (/\/(console|settings)\/v1\//.test(request.url())) asked.push(request.url());
      });
      await first.goto(`${server.url}/meetings`);
      await first.getByRole("heading", { level: 1, name: "Meetings" }).waitFor();
      await first.waitForLoadState("networkidle");
      const scripts = await first.evaluate<string[]>(
        `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith(".js"))`,
      );
      expect(scripts.length).toBeGreaterThan(1);
      // The script's read is the one preloaded by the page, so the preloaded answer is used.
      await first.goto(`${server.url}/meetings/${meetingId}`);
      await first.getByRole("heading", { name: "Summary" }).waitFor();
      await first.goto(`${server.url}/developers`);
      await first.getByRole("button", { name: "Create a key" }).waitFor();
      await first.waitForLoadState("networkidle");
      const reads = asked.map((url) => url.replace(server.url, "").replace(/\?.*/, ""));
      const count = (read: string) => reads.filter((one) => one === read).length;
      expect(count("/settings/v1/account.get")).toBe(3);
      for (const read of [
        "/console/v1/meetings.browse",
        "/console/v1/meetings.get",
        "/settings/v1/keys.list",
      ])
        expect([read, count(read)]).toEqual([read, 1]);
      await first.close();
      // A preloaded one is listed twice.
      const sizes = [...new Set(scripts)].map(
        (path) => gzipSync(readFileSync(`${CONSOLE_DIRECTORY}${path}`)).length,
      );
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200 * 1024);
    },
  );

  test("runs no script that a meeting contains, and the page's policy has nothing to report", async () => {
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page.addInitScript(
      `addEventListener("securitypolicyviolation", ({ violatedDirective }) => (window.reports ??= []).push(violatedDirective))`,
    );
    const meetingId = await givenHostileContent(server, company);
    await page.goto(`${server.url}/meetings/${meetingId}`);
    await page.getByRole("heading", { name: "Transcript" }).waitFor();
    await visit.settle();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("region", { name: "Who can read this meeting" }).waitFor();
    await page.keyboard.press("Escape");
    for (const label of await visit.listPages()) {
      await visit.go(label);
      // Unescaped content would be an element of the page, and would have run by now.
      expect(await page.locator("[onerror], [onload], [onmouseover], [onfocus]").count()).toBe(0);
    }
    await visit.go("Meetings");
    await page.getByRole("searchbox", { name: "Search meetings" }).fill("script alert");
    await page.getByText(/best first/).waitFor();
    expect(await page.evaluate("window.reports ?? []")).toEqual([]);
    expect(dialogs).toEqual([]);
  });
});
