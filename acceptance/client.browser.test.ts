import { join } from "node:path";

import { startTestServer, type TestServer } from "@minutes/server/testing";
import { createPersonalKey, needs, type Person } from "@minutes/testing";
import type { BrowserContext, Page } from "playwright-core";
import { build, type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "./support/chromium.js";
import { runInEmptyFolder, toRepositoryPath } from "./support/run.js";

let browser: BrowserContext;
let close: () => Promise<void>;
let server: TestServer;
let app: PreviewServer;
let origin: string;
let anna: Person;
let folder: Promise<void>;
let removeFolder: () => void;

beforeAll(async () => {
  ({ browser, close } = await openBrowser());
  // The example built by Vite for production, from the client's workspace sources.
  let built: (outDir: string) => void = () => {};
  const outDir = new Promise<string>((resolve) => {
    built = resolve;
  });
  const done = new Promise<void>((resolve) => {
    removeFolder = resolve;
  });
  folder = runInEmptyFolder(async (path) => {
    await build({
      root: toRepositoryPath("examples/react"),
      logLevel: "error",
      build: { outDir: join(path, "dist") },
    });
    built(join(path, "dist"));
    await done;
  });
  app = await preview({
    root: toRepositoryPath("examples/react"),
    logLevel: "error",
    build: { outDir: await Promise.race([outDir, folder.then(() => "")]) },
    preview: { host: "127.0.0.1", port: 0 },
  });
  origin = new URL(app.resolvedUrls?.local[0] ?? "").origin;
  server = await startTestServer({ corsOrigins: [origin] });
  anna = await server.given.person();
  for (let number = 1; number <= 25; number++) {
    await server.given.meeting(anna, { title: `Meeting number ${number}` });
  }
});
afterAll(async () => {
  await app?.close();
  removeFolder?.();
  await folder;
  await server?.close();
  await close?.();
});

/** Opens a page and collects everything it reports as an error. */
async function openPage(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}

test(
  "the React example, bundled by Vite, lists meetings in Chromium through a service that allows its origin",
  needs("chromium"),
  async () => {
    const { page, complaints } = await openPage();
    await page.goto(origin);
    await page.fill('[name="baseUrl"]', server.url);
    await page.fill('[name="apiKey"]', anna.key);
    await page.click("button");
    await page.waitForSelector("li");
    await expect.poll(() => page.locator("li").count()).toBe(20);
    await page.click("text=More");
    await page.locator("li").nth(24).waitFor();
    await expect.poll(() => page.locator("li").count()).toBe(25);
    await expect.poll(() => page.locator("li").first().textContent()).toContain("Meeting number 1 ");
    expect(complaints).toEqual([]);
  },
);

test("401: the page explains a key that isn't valid", needs("chromium"), async () => {
  const { page } = await openPage();
  await page.goto(origin);
  await page.fill('[name="baseUrl"]', server.url);
  await page.fill('[name="apiKey"]', "jk_wrong");
  await page.click("button");
  await page.waitForSelector("[role=alert]");
  await expect.poll(() => page.textContent("[role=alert]")).toBe("This key is not valid.");
});

test("a service that doesn't allow the page's origin is not reached from it", needs("chromium"), async () => {
  const closed = await startTestServer({ database: server.database });
  const { page } = await openPage();
  await page.goto(origin);
  await page.fill('[name="baseUrl"]', closed.url);
  await page.fill('[name="apiKey"]', anna.key);
  await page.click("button");
  await page.waitForSelector("[role=alert]");
  await expect
    .poll(() => page.textContent("[role=alert]"))
    .toMatch(/^The service at http\S+ can't be reached\.$/);
  await closed.close();
});

test("/docs shows every operation and makes calls of both forms with a read-only key, from this machine alone, without an error in the console", {
  ...needs("chromium"),
  timeout: 900_000,
}, async () => {
  const { page, complaints } = await openPage();
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  const answer = await page.goto(`${server.url}/docs`);
  expect(answer?.headers()["content-security-policy"]).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  );
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags: string[] }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const tag of new Set(operations.flatMap(({ tags }) => tags))) {
    const count = operations.filter(({ tags }) => tags.includes(tag)).length;
    const group = page.locator(".opblock-tag-section", { has: page.locator(`[data-tag="${tag}"]`) });
    await page.click(`[data-tag="${tag}"]`);
    await expect.poll(() => group.locator(".opblock").count(), { message: tag }).toBe(count);
    await page.click(`[data-tag="${tag}"]`);
  }
  await page.click('[data-tag="Personal key"]');

  await page.click("button.authorize");
  const { key } = await createPersonalKey(server.db, anna.userId, "Reference", {
    access: "read",
  });
  await page.locator("#api_key_value").first().fill(key);
  await page.locator(".modal-btn.authorize").first().click();
  await page.click("button.btn-done");
  /** Executes an operation, and returns the status shown. */
  const tryOut = async (operation: string) => {
    const block = page.locator(`[id$="-${operation}"]`);
    await block.locator(".opblock-summary-control").click();
    await block.locator(".try-out__btn").click();
    await block.locator(".execute").click();
    return block.locator(".live-responses-table tbody .response-col_status").first().textContent();
  };
  expect(await tryOut("meTagsList")).toContain("200");
  await page.click('[data-tag="REST: personal key"]');
  expect(await tryOut("listTags")).toContain("200");
  expect(await tryOut("listMeetings")).toContain("200");
  await page.click("#operations-Personal_key-meMeetingsList .opblock-summary-control");
  await page.waitForSelector("#operations-Personal_key-meMeetingsList .parameters");
  expect([...hosts]).toEqual([new URL(server.url).host]);
  expect(complaints).toEqual([]);
});

test(
  "/docs and / don't scroll sideways at 390 pixels, and follow the system's dark colors",
  needs("chromium"),
  async () => {
    const { page } = await openPage();
    await page.setViewportSize({ width: 390, height: 844 });
    const width = () => page.evaluate("document.documentElement.scrollWidth") as Promise<number>;
    await page.goto(server.url);
    await expect.poll(() => page.textContent("h1")).toBe("Minutes");
    await expect.poll(width).toBeLessThanOrEqual(390);
    await page.goto(`${server.url}/docs`);
    await page.click('[data-tag="Personal key"]');
    await expect.poll(width).toBeLessThanOrEqual(390);
    for (const operation of ["meMeetingsList", "meTasksUpdate"]) {
      await page.click(`#operations-Personal_key-${operation} .opblock-summary-control`);
      await page.waitForSelector(`#operations-Personal_key-${operation} .responses-wrapper`);
    }
    await expect.poll(width).toBeLessThanOrEqual(390);
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(background).not.toBe(light);
  },
);
