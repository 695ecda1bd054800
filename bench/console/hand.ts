import type { Locator, Page } from "playwright-core";
import { computeMedian } from "../requests/load.js";
import { openChromium } from "./open-chromium.js";

/** A person at a page, with a mouse and a keyboard. Each click, key and typed text counts as one act. */
class Hand {
  #acts = 0;
  #began = 0;

  constructor(readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    this.#count();
    await target.click();
  }

  async press(key: string): Promise<void> {
    this.#count();
    await this.page.keyboard.press(key);
  }

  /** Types into a field, after a click if it does not have the focus. */
  async type(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    const isFocused = await field.evaluate((element) => element.matches(":focus"));
    if (!isFocused) await this.click(field);
    this.#count();
    await this.page.keyboard.insertText(text);
  }

  /** Clicks a button and chooses a file in the browser's dialog, which counts as one more. */
  async chooseFile(button: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const choosing = this.page.waitForEvent("filechooser");
    await this.click(button);
    this.#count();
    await (await choosing).setFiles(file);
  }

  /** Returns the acts so far, and the seconds since the first one. */
  read(): { clicks: number; seconds: number } {
    return { clicks: this.#acts, seconds: (performance.now() - this.#began) / 1000 };
  }

  #count(): void {
    if (this.#acts === 0) this.#began = performance.now();
    this.#acts++;
  }
}

/** What a task needs. */
interface Desk {
  readonly hand: Hand;
  readonly page: Page;
  /** URL of an HTTPS receiver that accepts webhooks. */
  readonly receiver: string;
}

/** Does one task, and returns when its outcome is visible. */
export type Task = (desk: Desk) => Promise<void>;

/** A running console with the sample. */
export interface Console {
  readonly url: string;
  /** The one-time link that signs in as the sample's admin. */
  readonly link: string;
  close(): Promise<void>;
}

/**
 * Does each task once in each round, in the order given. Each round has an empty browser and a new server, and each task
 * begins at the list of meetings.
 * @returns a row for each task with its clicks, and the median of its seconds
 */
export async function measureTasks(
  tasks: Readonly<Record<string, Task>>,
  rounds: number,
  receiver: string,
  start: () => Promise<Console>,
): Promise<{ task: string; clicks: number; seconds: number }[]> {
  const times = new Map(
    Object.keys(tasks).map((task) => [task, [] as { clicks: number; seconds: number }[]]),
  );
  for (let round = 0; round < rounds; round++) {
    const server = await start();
    const browser = await openChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(server.link);
      await page.getByRole("button", { name: /^Sign in/ }).click();
      await page.getByRole("heading", { level: 1, name: "Meetings" }).waitFor();
      for (const [name, run] of Object.entries(tasks)) {
        await page.goto(`${server.url}/meetings`);
        await page.getByRole("region", { name: "Meetings" }).getByRole("link").first().waitFor();
        await page.waitForLoadState("networkidle");
        const hand = new Hand(page);
        await run({ hand, page, receiver });
        times.get(name)?.push(hand.read());
      }
    } finally {
      await browser.close();
      await server.close();
    }
  }
  return [...times].map(([task, each]) => ({
    task,
    clicks: each[0]?.clicks ?? 0,
    seconds: Math.round(computeMedian(each.map(({ seconds }) => seconds)) * 100) / 100,
  }));
}
