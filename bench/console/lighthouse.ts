import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { findChromium } from "@minutes/testing";
import {
  findMeeting,
  listPages,
  openChromium,
  type SampleServer,
  signInAsAdmin,
  startSampleServer,
} from "./sample-server.js";

const PRESETS = ["mobile", "desktop"];

const HELP = `pnpm bench:console [--pages developers,plan] [--preset mobile] [--preset desktop] [--runs 3] [--slowdown 4] [--json]

Measures the console's pages on the sample with Lighthouse: the median of so many runs, as a phone and as a desktop
computer. Lighthouse needs a newer Node.js than Minutes; npx fetches both once. Prints each run to stderr.

The phone's processor is a mid-tier one on any machine: Lighthouse first measures the speed of this one ("machine"), and
its published calculator says how many times slower that phone is ("slowdown"). --slowdown 4 is Lighthouse's default.

Fails if a page scores below 95 for performance, below 100 for another category, or shifts by more than 0.05. A busy
machine scores less. Requests and kilobytes do not depend on it.
`;

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    preset: { type: "string", multiple: true, default: PRESETS },
    pages: { type: "string" },
    slowdown: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(HELP);
  process.exit();
}
const unknownPresets = options.preset.filter((preset) => !PRESETS.includes(preset));
if (unknownPresets.length > 0) throw new Error(`Unknown: ${unknownPresets.join(", ")}. Presets: ${PRESETS}.`);
const runs = Number(options.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error("--runs takes a whole number from 1.");

const givenSlowdown = options.slowdown === undefined ? null : Number(options.slowdown);
if (givenSlowdown !== null && !(givenSlowdown >= 1)) throw new Error("--slowdown takes a number from 1.");

/** Timeout of one Lighthouse run, in ms. */
const PATIENCE = 90_000;

const WANTED = { performance: 95, accessibility: 100, "best-practices": 100 } as const;
type Category = keyof typeof WANTED;
const CATEGORIES = Object.keys(WANTED) as Category[];
const METRICS = {
  "first-contentful-paint": "FCP ms",
  "largest-contentful-paint": "LCP ms",
  "total-blocking-time": "TBT ms",
  "speed-index": "SI ms",
};
/** Maximum cumulative layout shift. */
const SHIFT = 0.05;
type Metric = keyof typeof METRICS;

interface Audit {
  readonly score: number | null;
  readonly title: string;
  readonly numericValue?: number;
  readonly details?: { readonly items?: readonly Resource[] };
}

/** The files of one type. */
interface Resource {
  readonly resourceType: string;
  readonly requestCount: number;
  /** Bytes. */
  readonly transferSize: number;
}

interface Report {
  readonly categories: Readonly<Record<Category, { score: number }>>;
  readonly audits: Readonly<Record<string, Audit>>;
  readonly environment: { readonly benchmarkIndex: number };
}

const chromium = findChromium();
if (!chromium) throw new Error("Chromium is not installed.");

// Variables that pnpm sets for its scripts, such as engine strictness, must not affect npx.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm|pnpm)_/i.test(name)));

/** Downloads Lighthouse and its Node.js, and returns the directory of their commands. */
async function fetchLighthouse(): Promise<string> {
  const packages = ["-p", "node@24", "-p", "lighthouse@13.5.0"];
  const { stdout } = await promisify(execFile)("npx", ["-y", ...packages, "-c", "command -v lighthouse"], {
    env,
  });
  return dirname(stdout.trim());
}

/**
 * Says how many times slower than this machine a mid-tier phone is, as the calculator does that Lighthouse's docs on
 * throttling name. A machine that is slower than the phone is not slowed down.
 * @param machine Lighthouse's benchmark index
 */
function findSlowdown(machine: number): number {
  if (machine >= 1300) return 3 + (machine - 1300) / 233;
  return machine >= 800 ? 2 + (machine - 800) / 500 : Math.max(1, 1 + (machine - 150) / 650);
}

/** Runs Lighthouse once on a page. @throws Error on a timeout, or if it can't open the page */
async function audit(
  commands: string,
  url: string,
  cookie: string | null,
  preset: string,
  slowdown: number,
): Promise<Report> {
  const args = [
    ...[join(commands, "lighthouse"), url, "--quiet", "--output=json"],
    ...[
      `--only-categories=${CATEGORIES.join(",")}`,
      "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ],
    ...(cookie === null ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`]),
    ...(preset === "desktop"
      ? ["--preset=desktop"]
      : [`--throttling.cpuSlowdownMultiplier=${slowdown.toFixed(2)}`]),
  ];
  const { stdout } = await promisify(execFile)(join(commands, "node"), args, {
    env: { ...env, CHROME_PATH: chromium ?? "" },
    maxBuffer: 2 ** 26,
    timeout: PATIENCE,
  });
  return JSON.parse(stdout) as Report;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Audits a page several times. @returns the medians, and the lost points */
async function measure(
  commands: string,
  page: string,
  url: string,
  cookie: string | null,
  preset: string,
  slowdown: number,
) {
  const reports: Report[] = [];
  for (let run = 1; run <= runs; run++) {
    const report = await audit(commands, url, cookie, preset, slowdown);
    reports.push(report);
    const scores = CATEGORIES.map((name) => `${name} ${Math.round(100 * report.categories[name].score)}`);
    console.error(`${page}, ${preset}, run ${run} of ${runs}: ${scores.join(", ")}`);
  }
  const middle = (pick: (report: Report) => number) => Math.round(median(reports.map(pick)));
  const scores = CATEGORIES.map((name) => [name, middle(({ categories }) => 100 * categories[name].score)]);
  const metrics = Object.entries(METRICS).map(([name, label]) => [
    label,
    middle(({ audits }) => audits[name as Metric]?.numericValue ?? 0),
  ]);
  const resources = reports[0]?.audits["resource-summary"]?.details?.items ?? [];
  const find = (type: string) => resources.find(({ resourceType }) => resourceType === type);
  const faults = Object.values(reports[0]?.audits ?? {}).filter(({ score }) => score !== null && score < 0.9);
  return {
    ...(Object.fromEntries(scores) as Record<Category, number>),
    ...Object.fromEntries(metrics),
    CLS: median(reports.map(({ audits }) => audits["cumulative-layout-shift"]?.numericValue ?? 0)),
    requests: find("total")?.requestCount ?? 0,
    "JS KB": Math.round((find("script")?.transferSize ?? 0) / 1024),
    machine: middle(({ environment }) => environment.benchmarkIndex),
    slowdown: preset === "mobile" ? Number(slowdown.toFixed(1)) : 1,
    ...(options.json ? { faults: faults.map(({ title }) => title) } : {}),
  };
}

const EMPTY_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Empty</title>
<meta name="viewport" content="width=device-width"></head><body><main>This page is empty.</main></body></html>`;
const emptyPage = createServer((_request, response) => {
  response.setHeader("Content-Type", "text/html").end(EMPTY_PAGE);
}).listen(0, "127.0.0.1");
await once(emptyPage, "listening");
const emptyUrl = `http://127.0.0.1:${(emptyPage.address() as AddressInfo).port}/`;

/** Lists the pages by name with their URLs: an empty one, the sign-in, one meeting and those of the navigation. */
async function listAudited(server: SampleServer, cookie: string): Promise<ReadonlyMap<string, string>> {
  const browser = await openChromium();
  try {
    const page = await browser.newPage({ extraHTTPHeaders: { Cookie: cookie } });
    const listed = await listPages(page, server.url);
    return new Map([
      ["empty", emptyUrl],
      ["sign-in", `${server.url}/sign-in`],
      ["meeting", `${server.url}/meetings/${await findMeeting(server)}`],
      ...listed.map(({ name, path }) => [name, `${server.url}${path}`] as const),
    ]);
  } finally {
    await browser.close();
  }
}

console.error("Fetching Lighthouse, building the console and starting a server with the sample.");
const commands = await fetchLighthouse();
const server = await startSampleServer({ RATE_LIMIT_PER_MINUTE: "1000000" });
try {
  const cookie = await signInAsAdmin(server);
  const all = await listAudited(server, cookie);
  const pages = options.pages?.split(",") ?? [...all.keys()];
  const unknown = pages.filter((page) => !all.has(page));
  if (unknown.length > 0)
    throw new Error(`Unknown: ${unknown.join(", ")}. Pages: ${[...all.keys()].join(",")}.`);
  const machine = (await audit(commands, emptyUrl, null, "desktop", 1)).environment.benchmarkIndex;
  const slowdown = givenSlowdown ?? findSlowdown(machine);
  const rows: Record<string, unknown>[] = [];
  const misses: string[] = [];
  for (const page of pages)
    for (const preset of options.preset) {
      const url = all.get(page) ?? "";
      // Somebody who is signed in is taken from there to their meetings.
      const scores = await measure(commands, page, url, page === "sign-in" ? null : cookie, preset, slowdown);
      rows.push({ page, preset, ...scores });
      for (const name of CATEGORIES)
        if (page !== "empty" && scores[name] < WANTED[name])
          misses.push(`${page}, ${preset}: ${name} is ${scores[name]}, wanted ${WANTED[name]}`);
      if (scores.CLS > SHIFT) misses.push(`${page}, ${preset}: CLS is ${scores.CLS}, wanted ${SHIFT}`);
    }
  if (options.json) console.log(JSON.stringify(rows, null, 2));
  else console.table(rows);
  for (const miss of misses) console.error(miss);
  if (misses.length > 0) process.exitCode = 1;
} finally {
  emptyPage.close();
  await server.close();
}
