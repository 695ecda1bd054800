import { MeetingImport } from "@minutes/contract";
import { createSignInToken, importMeeting } from "@minutes/core";
import { insertMeetings, testServer } from "@minutes/testing";
import type { Page } from "playwright-core";
import { openChromium } from "./open-chromium.js";
import { buildConsole, CONSOLE_DIRECTORY } from "./sample-server.js";

/**
 * `pnpm bench:console:scroll`: the longest task of the browser while a list of 10,000 meetings and a transcript of 5,000
 * turns are scrolled from end to end. Fails over 100 ms. Both run on a busy machine too: the figure is the machine's as
 * much as the page's.
 */
const MEETINGS = 10_000;
const TURNS = 5_000;
const LONGEST = 100;

await buildConsole();
const server = await testServer({ consoleDirectory: CONSOLE_DIRECTORY });
const browser = await openChromium();
try {
  const { admin } = await server.given.company();
  await insertMeetings(server.db, admin, { count: MEETINGS });
  const transcript = Array.from({ length: TURNS }, (_, at) => ({
    speakerId: `s${at % 5}`,
    speakerName: `Speaker ${at % 5}`,
    text: `Turn ${at}: ${"we speak about the gearbox and its delays. ".repeat(1 + (at % 4))}`,
    start: at * 3,
  }));
  const startTime = new Date().toISOString();
  const meeting = { externalId: "long", ownerEmail: admin.email, title: "Long", startTime, transcript };
  const { meetingId } = await importMeeting(server.db, MeetingImport.parse(meeting));

  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(
    `window.longTasks = []; new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" })`,
  );
  await page.goto(`${server.url}/sign-in#${await createSignInToken(server.db, admin.userId)}`);
  const list = await scroll(page, "Meetings", MEETINGS);
  await page.goto(`${server.url}/meetings/${meetingId}?tab=transcript`);
  const turns = await scroll(page, "Transcript", TURNS);
  console.table({ "10,000 meetings": list, "5,000 turns": turns });
  if (Math.max(list.longestTask, turns.longestTask) > LONGEST) process.exitCode = 1;
} finally {
  await browser.close();
  await server.close();
}

/** Scrolls a region with the wheel to its end. @returns the rows that were passed and the longest task in milliseconds */
async function scroll(page: Page, name: string, rows: number) {
  const region = page.getByRole("region", { name });
  await region.locator("[data-index]").first().waitFor();
  await region.hover();
  await page.evaluate("window.longTasks.length = 0");
  const getLastRow = () =>
    page.evaluate<number>(
      `Math.max(...[...document.querySelectorAll("[data-index]")].map((row) => Number(row.dataset.index)))`,
    );
  const until = Date.now() + 240_000;
  let last = 0;
  while (last < rows - 1 && Date.now() < until) {
    for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, 4_000);
    await page.waitForTimeout(50);
    last = await getLastRow();
  }
  const tasks = await page.evaluate<number[]>("window.longTasks");
  return { rows: last + 1, longTasks: tasks.length, longestTask: Math.round(Math.max(0, ...tasks)) };
}
