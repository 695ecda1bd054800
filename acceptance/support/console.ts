import { createSignInToken } from "@minutes/core";
import { startTestServer, type TestServer, type TestServerOptions } from "@minutes/server/testing";
import type { Company, Person } from "@minutes/testing";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { openBrowser } from "./chromium.js";
import { run, toRepositoryPath } from "./run.js";

/** Both sizes of the console, for `describe.each`. */
export const SCREENS = [
  ["a desktop", { width: 1280, height: 800 }],
  ["a phone", { width: 390, height: 844 }],
] as const;

/** Directory of the console's build. */
export const CONSOLE_DIRECTORY = toRepositoryPath("apps/console/dist");

/** Builds the console unless its build is up to date. */
export const buildConsole = () => run(process.execPath, [toRepositoryPath("apps/console/build.js")]);

/** A browser in which a person is signed in to the console. */
export interface ConsoleVisit {
  readonly browser: BrowserContext;
  readonly page: Page;
  /** Errors reported by the browser, including policy violations. */
  readonly faults: string[];
  /** Loads a URL and waits for its heading. */
  open(path: string, heading: string): Promise<void>;
  /** Goes to a page by the rail or the settings, as a person does, and waits until it shows its content. */
  go(label: string): Promise<void>;
  /** Lists the labels of all pages that the rail and the settings have. */
  listPages(): Promise<string[]>;
  /** Waits until nothing on the page is loading. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** Signs a person in with a one-time link from `minutes login`: in a new browser, beside another visit, or in a browser that is open. */
export async function visitConsole(
  server: Pick<TestServer, "db" | "url">,
  person: Pick<Person, "userId">,
  beside?: ConsoleVisit,
  opened: ReturnType<typeof openBrowser> | undefined = beside && openBeside(beside),
): Promise<ConsoleVisit> {
  const { browser, close } = await (opened ?? openBrowser());
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  const token = await createSignInToken(server.db, person.userId, 600);
  await page.goto(`${server.url}/sign-in#${token}`);
  await page.getByRole("button", { name: /^Sign in as / }).click();
  const heading = (name: string) => page.getByRole("heading", { name, level: 1, exact: true });
  await heading("Meetings").waitFor();
  const settle = () => expect.poll(() => page.getByLabel("Loading").count()).toBe(0);
  return {
    browser,
    page,
    faults,
    open: async (path, name) => {
      await page.goto(`${server.url}${path}`);
      await heading(name).waitFor();
    },
    go: async (label) => {
      const rail = page.getByRole("navigation");
      const link = rail.getByRole("link", { name: label, exact: true });
      const otherRail = rail.getByRole("link", { name: /^(Settings|Back to meetings)$/ });
      // After a reload, the rail is drawn only after the scripts have loaded.
      await otherRail.waitFor({ state: "attached" });
      if ((await link.count()) === 0) await follow(page, otherRail);
      await follow(page, link);
      await heading(label).waitFor();
      await settle();
    },
    listPages: async () => {
      const navigation = page.getByRole("navigation");
      const read = () => navigation.locator("a[href]:not([aria-label])").allTextContents();
      await page.goto(`${server.url}/meetings`);
      await heading("Meetings").waitFor();
      const main = await read();
      await navigation.getByRole("link", { name: "Settings" }).click();
      await heading("Account").waitFor();
      return [...main, ...(await read())].filter(
        (label) => !["Settings", "Back to meetings"].includes(label),
      );
    },
    settle,
    close,
  };
}

/** Clicks a link of the rail, which is behind a button on a phone. */
async function follow(page: Page, link: Locator): Promise<void> {
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  if (!(await menu.isVisible())) return link.click();
  await menu.click();
  await link.click();
  await expect.poll(() => menu.getAttribute("aria-expanded")).toBe("false");
}

/** A server with the console, a company and one of its members. */
export interface ConsoleScene {
  readonly server: TestServer;
  readonly company: Company;
  readonly member: Person;
  /** The admin's browser. */
  readonly visit: ConsoleVisit;
  /** The page of the admin's browser. */
  readonly page: Page;
  close(): Promise<void>;
}

/** Starts the console before a file's tests, and closes it after them. `begin` gets what the tests use. */
export function useConsole(begin: (scene: ConsoleScene) => unknown): void {
  let scene: ConsoleScene | undefined;
  beforeAll(async () => {
    scene = await startConsole();
    await begin(scene);
  });
  afterAll(() => scene?.close());
}

/**
 * Builds the console, starts a server with it, and signs a company's admin in.
 * @param options the model that writes answers, and the queue of summaries; none by default
 */
export async function startConsole(
  options: Pick<TestServerOptions, "model" | "summaries"> = {},
): Promise<ConsoleScene> {
  await buildConsole();
  const server = await startTestServer({
    consoleDirectory: CONSOLE_DIRECTORY,
    command: "docker exec minutes",
    ...options,
  });
  try {
    const company = await server.given.company();
    const member = await server.given.member(company);
    const visit = await visitConsole(server, company.admin);
    const close = async () => {
      await visit.close();
      await server.close();
    };
    return { server, company, member, visit, page: visit.page, close };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function openBeside({ browser: first }: ConsoleVisit) {
  const context = await first.browser()?.newContext({ serviceWorkers: "block" });
  if (!context) throw new Error("The browser is closed.");
  return { browser: context, close: () => context.close() };
}

/** Chooses an action of a meeting's menu. */
export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name, exact: true }).click();
}

/**
 * Moves the pointer onto the note that says this. It stays open there, so what is checked meanwhile, or before its Undo is
 * clicked, may take longer than the seconds for which it is shown.
 */
export async function holdNote(page: Page, text: string): Promise<Locator> {
  const note = page.locator(".mantine-Notification-root", { hasText: text });
  await note.hover();
  return note;
}

/** Presses keys one after another. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Name of the focused element: its label, or its text. */
const FOCUSED = `(() => {
  const { activeElement: element } = document;
  const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.firstChild?.textContent;
  return label ?? element.textContent;
})()`;

/** Presses Tab until the element with this name has the focus, like a user without a pointer. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const tab = async () => {
    const focused = (await page.evaluate<string>(FOCUSED)).trim();
    const isThere = typeof name === "string" ? focused === name : name.test(focused);
    if (!isThere) await page.keyboard.press("Tab");
    return isThere;
  };
  // The element may still have to be drawn.
  await expect.poll(tab, { interval: 1, message: `Tab reaches ${name}` }).toBe(true);
}

/**
 * Waits until a dialog has opened and taken the focus. Keys that are pressed earlier go to the page behind it: the
 * library listens for keys and moves the focus a moment after the dialog is drawn.
 */
export async function waitForDialog(page: Page, name: string | RegExp = /./): Promise<Locator> {
  const dialog = page.getByRole("dialog", { name });
  await dialog.waitFor();
  // The dialog gets its name when it listens for keys and has set timers of 0 ms, which move the focus.
  await page.evaluate("new Promise((done) => setTimeout(done, 10))");
  await dialog.locator(":focus").waitFor();
  return dialog;
}
