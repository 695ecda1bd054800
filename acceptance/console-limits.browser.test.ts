import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";
import { givenHostileContent, WEBHOOKS } from "./support/cross-site-scripting.js";

/** Maximum size of a page's gzipped scripts, in bytes. */
const LIMIT = 200 * 1024;

/** Returns the size of gzipped scripts in bytes. */
const measure = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + gzipSync(readFileSync(`${CONSOLE_DIRECTORY}${path}`)).length, 0);

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
      const count = (read: string) =>
        asked.filter((url) => url.replace(server.url, "").replace(/\?.*/, "") === read).length;
      const seen: string[] = [];
      /** Waits until the page has asked for these. A slow machine is idle on the network before it asks. */
      const waitForReads = async (...reads: string[]) => {
        for (const read of reads) await expect.poll(() => count(read), { message: read }).toBeGreaterThan(0);
        seen.push(...reads);
      };
      await first.goto(`${server.url}/meetings`);
      await first.getByRole("heading", { level: 1, name: "Meetings" }).waitFor();
      await waitForReads("/console/v1/meetings.browse");
      await first.waitForLoadState("networkidle");
      const scripts = await first.evaluate<string[]>(
        `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith(".js"))`,
      );
      expect(scripts.length).toBeGreaterThan(1);
      // The script's read is the one preloaded by the page, so the preloaded answer is used.
      await first.goto(`${server.url}/meetings/${meetingId}`);
      await first.getByRole("heading", { name: "Summary" }).waitFor();
      await waitForReads("/console/v1/meetings.get", "/console/v1/tasks.list", "/console/v1/speakers.list");
      await first.goto(`${server.url}/developers`);
      await first.getByRole("button", { name: "Create a key" }).waitFor();
      await waitForReads("/settings/v1/keys.list", "/settings/v1/webhooks.list");
      await first.waitForLoadState("networkidle");
      expect(count("/settings/v1/account.get")).toBe(3);
      for (const read of seen) expect([read, count(read)]).toEqual([read, 1]);
      await first.close();
      // A preloaded one is listed twice.
      expect(measure([...new Set(scripts)])).toBeLessThanOrEqual(LIMIT);
    },
  );

  test("the HTML and CSS alone paint the frame of the page, in the chosen scheme, and say that scripts are needed", async () => {
    const context = await page.context().browser()?.newContext({ javaScriptEnabled: false });
    if (!context) throw new Error("The browser is closed.");
    try {
      const still = await context.newPage();
      const bar = still.locator(".frame-bar");
      const getColor = () =>
        still.evaluate<string>(`getComputedStyle(document.querySelector(".frame")).backgroundColor`);
      await still.goto(`${server.url}/meetings`);
      await bar.getByText("Minutes").waitFor();
      // Chromium's switch for tests leaves `noscript` hidden.
      expect(await still.content()).toContain('<noscript><p class="frame-note">Minutes needs JavaScript.');
      const light = await getColor();
      await context.addCookies([{ name: "scheme", value: "dark", url: server.url }]);
      await still.reload();
      expect(await getColor()).not.toBe(light);
      // A visitor who is not signed in sees no frame of the pages behind.
      await still.goto(`${server.url}/sign-in`);
      await still.locator(".frame .entry-box").waitFor();
      expect(await bar.isVisible()).toBe(false);
    } finally {
      await context.close();
    }
  });

  test("the next first frame has a color scheme that was stored without a cookie", async () => {
    const context = await page.context().browser()?.newContext();
    if (!context) throw new Error("The browser is closed.");
    try {
      const returning = await context.newPage();
      await returning.addInitScript(`localStorage.setItem("mantine-color-scheme-value", "dark")`);
      await returning.goto(`${server.url}/sign-in`);
      await returning.getByRole("heading", { level: 1 }).waitFor();
      const readFrame = async () => {
        const headers = { accept: "text/html" };
        return (await context.request.get(`${server.url}/sign-in`, { headers })).text();
      };
      await expect.poll(readFrame).toContain('data-mantine-color-scheme="dark"');
    } finally {
      await context.close();
    }
  });

  test("the frame is hidden once the page is drawn, and the wordmark stays in its place", async () => {
    const own = await page.context().newPage();
    for (const width of [390, 1280]) {
      await own.setViewportSize({ width, height: 800 });
      await own.goto(`${server.url}/meetings`);
      await own.getByRole("heading", { level: 1, name: "Meetings" }).waitFor();
      expect(await own.locator(".frame").isVisible()).toBe(false);
      const drawn = await own.locator("#root .wordmark:visible").boundingBox();
      await own.evaluate(`document.getElementById("root").replaceChildren()`);
      const framed = await own.locator(".frame .wordmark").boundingBox();
      for (const side of ["x", "y"] as const)
        expect(
          Math.abs((framed?.[side] ?? 0) - (drawn?.[side] ?? 0)),
          `${side} at ${width}`,
        ).toBeLessThanOrEqual(2);
    }
    await own.close();
  });

  test("the HTML links every script that its page needs, so that none waits for another", async () => {
    for (const path of ["/", "/tasks", "/people", "/developers", "/audit", `/meetings/${"x".repeat(22)}`]) {
      const html = await (await fetch(`${server.url}${path}`, { headers: { accept: "text/html" } })).text();
      const linked = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, file]) => file);
      const fresh = await page.context().newPage();
      const asked: string[] = [];
      fresh.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await fresh.goto(`${server.url}${path}`);
      await fresh.locator("main :is(h1, [role=alert])").first().waitFor();
      expect(linked).toEqual(expect.arrayContaining(asked.filter((file) => file.endsWith(".js"))));
      // What buttons open is loaded later. A meeting's page is a little larger.
      if (!path.startsWith("/meetings/"))
        expect(measure(linked.map(String)), path).toBeLessThanOrEqual(LIMIT);
      await fresh.close();
    }
  });

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
