import { createSignInToken } from "@minutes/core";
import type { Person, TestServer } from "@minutes/testing";
import type { BrowserContext, Page } from "playwright-core";
import { openBrowser } from "./chromium.js";
import { run, toRepositoryPath } from "./run.js";

/** Where the console's build is. */
export const CONSOLE_DIRECTORY = toRepositoryPath("apps/console/dist");

/** Builds the console unless its build is up to date. */
export const buildConsole = () => run(process.execPath, [toRepositoryPath("apps/console/build.js")]);

/** A browser in which a person has signed in to the console. */
export interface ConsoleVisit {
  readonly browser: BrowserContext;
  readonly page: Page;
  /** What the browser reported as an error, violations of the page's policy among it. */
  readonly faults: string[];
  /** Opens a page and waits for its heading. */
  open(path: string, heading: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a browser and signs a person in by a one-time link, as `minutes login` prints it. */
export async function visitConsole(
  server: Pick<TestServer, "db" | "url">,
  person: Person,
): Promise<ConsoleVisit> {
  const { browser, close } = await openBrowser();
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  const token = await createSignInToken(server.db, person.userId, 600);
  await page.goto(`${server.url}/sign-in#${token}`);
  await page.getByRole("heading", { name: "Meetings" }).waitFor();
  return {
    browser,
    page,
    faults,
    open: async (path, heading) => {
      await page.goto(`${server.url}${path}`);
      await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
    },
    close,
  };
}
