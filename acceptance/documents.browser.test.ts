import { startTestServer, type TestServer } from "@minutes/server/testing";
import { needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALL_LOOKS, findFaults } from "./support/accessibility.js";
import { openBrowser } from "./support/chromium.js";

/** The pages that the server writes without the console. They don't depend on the engine. */
describe("the server's own pages", needs("chromium", "embedded"), () => {
  let server: TestServer;
  let page: Page;
  let close: () => Promise<void>;
  beforeAll(async () => {
    server = await startTestServer();
    const opened = await openBrowser();
    page = await opened.browser.newPage();
    close = opened.close;
  });
  afterAll(async () => {
    await close?.();
    await server?.close();
  });

  test("the reference has no accessibility faults: closed, with an operation, and where a key is entered", async () => {
    await page.goto(`${server.url}/docs`);
    await page.getByRole("heading", { name: /^Minutes/, level: 1 }).waitFor();
    await expect.poll(() => findFaults(page, ALL_LOOKS)).toEqual([]);
    const group = page.locator(".opblock-tag-section").first();
    await group.getByRole("button").first().click();
    const operation = group.locator(".opblock").first();
    await operation.getByRole("button").first().click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await expect.poll(() => findFaults(page, ALL_LOOKS)).toEqual([]);
    await page.getByRole("button", { name: "Authorize" }).first().click();
    await page.getByRole("button", { name: "Close", exact: true }).first().waitFor();
    await expect.poll(() => findFaults(page, ALL_LOOKS)).toEqual([]);
  });

  test("the page at / has no accessibility faults", async () => {
    await page.goto(server.url);
    await page.getByRole("link", { name: "Read the API reference and try it" }).waitFor();
    await expect.poll(() => findFaults(page, ALL_LOOKS)).toEqual([]);
  });

  test("the page at / has the console's colors in dark mode", async () => {
    await page.goto(server.url);
    const read = () =>
      page.evaluate<string[]>(
        `[getComputedStyle(document.querySelector(".entry")).backgroundColor, getComputedStyle(document.querySelector(".entry-box")).backgroundColor, getComputedStyle(document.body).color]`,
      );
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await read()).toEqual(["rgb(31, 31, 31)", "rgb(36, 36, 36)", "rgb(201, 201, 201)"]);
  });
});
