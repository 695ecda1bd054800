import { MeetingImport } from "@minutes/contract";
import { createSignInToken, importMeeting } from "@minutes/core";
import { startTestServer } from "@minutes/server/testing";
import { insertMeetings } from "@minutes/testing";
import type { Page } from "playwright-core";
import { openChromium } from "./open-chromium.js";
import { buildConsole, CONSOLE_DIRECTORY } from "./sample-server.js";

/**
 * `pnpm bench:console:scroll`: the browser's longest task while scrolling through a list of 10,000 meetings and a
 * transcript of 5,000 turns. Fails over 100 ms. On a busy machine tasks also wait for the CPU, so the longest task's
 * CPU time is printed as well.
 */
const MEETINGS = 10_000;
const TURNS = 5_000;
const LONGEST = 100;

await buildConsole();
const server = await startTestServer({ consoleDirectory: CONSOLE_DIRECTORY });
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
  await page.getByRole("button", { name: /^Sign in as / }).click();
  const list = await scroll(page, "Meetings", MEETINGS);
  await page.goto(`${server.url}/meetings/${meetingId}?tab=transcript`);
  const turns = await scroll(page, "Transcript", TURNS);
  console.table({ "10,000 meetings": list, "5,000 turns": turns });
  const isWhole = list.rows >= MEETINGS && turns.rows >= TURNS;
  if (!isWhole) console.error("The end of a list was not reached.");
  if (!isWhole || Math.max(list.longestTask, turns.longestTask) > LONGEST) process.exitCode = 1;
} finally {
  await browser.close();
  await server.close();
}
// The test database keeps a process alive for the next test.
process.exit();

/** Scrolls a region to its end with the wheel. @returns the number of rows and the longest task in ms */
async function scroll(page: Page, name: string, rows: number) {
  const region = page.getByRole("region", { name });
  await region.locator("[data-index]").first().waitFor();
  await region.hover();
  await page.evaluate("window.longTasks.length = 0");
  await browser.startTracing(page, { categories: ["toplevel"] });
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
  const onProcessor = findLongestTask(await browser.stopTracing());
  const longestTask = Math.round(Math.max(0, ...tasks));
  return { rows: last + 1, longTasks: tasks.length, longestTask, onProcessor };
}

/** Finds the longest task of a page's main thread in a trace. @returns its CPU time in ms */
function findLongestTask(trace: Buffer): number {
  interface TraceEvent {
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    /** CPU time in microseconds. */
    readonly tdur?: number;
    readonly args?: { readonly name?: string };
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const times = traceEvents
    .filter(({ pid, tid, tdur }) => tdur !== undefined && threads.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
  return Math.round(times.reduce((longest, time) => Math.max(longest, time), 0));
}
