import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createSignInToken } from "@minutes/core";
import { type Company, needs, type Person, type TestServer, testServer } from "@minutes/testing";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "./support/chromium.js";
import { run, toRepositoryPath } from "./support/run.js";

/** Source of axe-core, which finds faults of accessibility. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser: BrowserContext;
let close: () => Promise<void>;
let server: TestServer;
let company: Company;
let admin: Person;
let colleague: Person;
let meetingId: string;
let page: Page;
/** What the browser reported as an error, violations of the page's policy among it. */
const faults: string[] = [];

/** Builds the console unless its build is up to date. */
const buildConsole = () => run(process.execPath, [toRepositoryPath("apps/console/build.js")]);

/** The instant some days ago, which search without dates reaches. */
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** Signs a person in by a one-time link, as `minutes login` prints it. */
async function signIn(where: Page, person: Person): Promise<void> {
  const token = await createSignInToken(server.db, person.userId, 600);
  await where.goto(`${server.url}/sign-in#${token}`);
  await where.getByRole("heading", { name: "Meetings" }).waitFor();
}

const open = async (path: string, heading: string) => {
  await page.goto(`${server.url}${path}`);
  await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
};

describe("the console", { ...needs("chromium"), timeout: 60_000 }, () => {
  beforeAll(async () => {
    await buildConsole();
    ({ browser, close } = await openBrowser());
    server = await testServer({ consoleDirectory: toRepositoryPath("apps/console/dist") });
    company = await server.given.company();
    admin = company.admin;
    colleague = await server.given.member(company);
    ({ meetingId } = await server.given.meeting(admin, {
      title: "Turbine review",
      startTime: daysAgo(30),
      summary: { markdown: "## Turbines\n\nThey are late." },
      transcript: [
        { speakerId: "a", speakerName: "Ada", text: "The turbines are late because of the gearbox." },
        { speakerId: "b", speakerName: "Ben", text: "We order a spare." },
      ],
      tasks: [{ text: "Order a spare gearbox" }],
    }));
    for (let number = 1; number <= 120; number++)
      await server.given.meeting(admin, { title: `Standup ${number}`, startTime: daysAgo(number / 10) });
    page = await browser.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    await signIn(page, admin);
  }, 180_000);
  afterAll(async () => {
    await close?.();
    await server?.close();
  });

  test("lists meetings, opens one with the keyboard, and comes back to the same place", async () => {
    await open("/meetings", "Meetings");
    const list = page.getByRole("region", { name: "Meetings" });
    await list.getByRole("link").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Summary" }).waitFor();
    await page.goBack();
    await list.getByRole("link").first().waitFor();
  });

  test("scrolls to the oldest of more meetings than a page holds", async () => {
    await open("/meetings", "Meetings");
    await expect
      .poll(async () => {
        await page.evaluate(`document.querySelector(".scroller").scrollTo(0, 1e9)`);
        return page.getByText("Turbine review").count();
      })
      .toBe(1);
  });

  test("searches what was said, and a result opens the transcript at its passage", async () => {
    await open("/meetings", "Meetings");
    await page.getByLabel("Search what was said").fill("gearbox turbines");
    await page.getByRole("button", { name: "Search" }).click();
    await page
      .getByRole("link", { name: /Turbine review/ })
      .first()
      .click();
    await page.locator('.turn[data-current="true"]', { hasText: "gearbox" }).waitFor();
  });

  test("ticks and edits a task", async () => {
    await open("/tasks", "Tasks");
    await page.getByRole("button", { name: "Edit: Order a spare gearbox" }).click();
    await page.getByLabel("Text of the task").fill("Order two gearboxes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("checkbox", { name: "Completed: Order two gearboxes" }).click();
    await expect
      .poll(async () => {
        const { tasks } = await server.data(admin.key, "me/tasks.list", { meetingId });
        return tasks.map(({ text, completed }) => [text, completed]);
      })
      .toEqual([["Order two gearboxes", true]]);
  });

  test("tags a meeting and shares it with a member", async () => {
    await open(`/meetings/${meetingId}`, "Turbine review");
    await page.getByLabel("New tag").fill("Hardware");
    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByRole("button", { name: "Remove the tag Hardware" }).waitFor();
    await page.getByRole("tab", { name: "Sharing" }).click();
    await page.getByRole("combobox", { name: "Share with" }).click();
    await page.getByRole("option", { name: new RegExp(colleague.email) }).click();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await expect
      .poll(async () => (await server.call(colleague.key, "me/meetings.get", { meetingId })).status)
      .toBe(200);
  });

  test("creates a key in one dialog, and the key works", async () => {
    await open("/keys", "API keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("weekly report");
    await page.keyboard.press("Enter");
    const key = await page.getByLabel("key", { exact: true }).textContent();
    expect((await server.call(key, "me/meetings.list")).status).toBe(200);
    await page.reload();
    await page.getByRole("cell", { name: "weekly report" }).waitFor();
    expect(await page.content()).not.toContain(key);
  });

  test("asks before a meeting is deleted, and deletes it", async () => {
    const doomed = await server.given.meeting(admin, { title: "Doomed meeting" });
    await open(`/meetings/${doomed.meetingId}`, "Doomed meeting");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect((await server.call(admin.key, "me/meetings.get", { meetingId: doomed.meetingId })).status).toBe(
      200,
    );
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("heading", { name: "Meetings" }).waitFor();
    expect((await server.call(admin.key, "me/meetings.get", { meetingId: doomed.meetingId })).status).toBe(
      404,
    );
  });

  test("runs no script that a meeting contains", async () => {
    const script = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
    const hostile = await server.given.meeting(admin, {
      title: `Hostile ${script}`,
      summary: { markdown: `${script}\n\n[link](javascript:window.hacked=1)` },
      transcript: [{ speakerId: "x", speakerName: script, text: script }],
      tasks: [{ text: script }],
    });
    await page.goto(`${server.url}/meetings/${hostile.meetingId}`);
    for (const tab of ["Summary", "Transcript", "Tasks", "People"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.waitForTimeout(100);
    }
    expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined();
  });

  test.each([
    ["/meetings", "Meetings"],
    ["/tasks", "Tasks"],
    ["/tags", "Tags"],
    ["/keys", "API keys"],
    ["/webhooks", "Webhooks"],
    ["/recorders", "Recorders"],
    ["/members", "Members"],
    ["/plan", "Plan and usage"],
    ["/vocabulary", "Vocabulary"],
    ["/account", "Account"],
    ["/connect", "Connect"],
  ])("%s has no accessibility fault, dark and light, wide and narrow", async (path, heading) => {
    for (const [width, colorScheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await open(path, heading);
      await page.waitForLoadState("networkidle");
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
        interface Violation {
          id: string;
          nodes: { html: string }[];
        }
        const result = await axe.run();
        return result.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
      });
      expect(violations).toEqual([]);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("a session that ends leads to the sign-in page, and back to the same page afterwards", async () => {
    const own = await (await browser.browser())?.newContext();
    if (!own) throw new Error("no browser");
    const other = await own.newPage();
    await other.goto(`${server.url}/keys`);
    await other.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    expect(new URL(other.url()).searchParams.get("to")).toBe("/keys");
    await own.close();
  });

  test("no page made the browser report an error", () => {
    // The refused reads of signed-out pages are errors of the network, not of the page.
    expect(faults.filter((fault) => !/status of 40[134]/.test(fault))).toEqual([]);
  });
});

describe("the console's answers", () => {
  let own: TestServer;
  beforeAll(async () => {
    await buildConsole();
    own = await testServer({ consoleDirectory: toRepositoryPath("apps/console/dist") });
  }, 180_000);
  afterAll(() => own.close());

  test("a browser gets the page with a policy that allows no inline script; programs get the API's 404", async () => {
    const wanted = await fetch(`${own.url}/meetings`, { headers: { accept: "text/html" } });
    expect(wanted.status).toBe(200);
    const policy = wanted.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    const program = await fetch(`${own.url}/meetings`, { headers: { accept: "*/*" } });
    expect([program.status, await program.json()]).toEqual([404, { error: "Not found" }]);
  });
});
