import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import { findChromium } from "@minutes/testing";
import { findMeeting, signInAsAdmin, startSampleServer } from "./sample-server.js";

/**
 * `pnpm bench:console [--runs 3] [--preset mobile] [--preset desktop] [--page /keys] [--json]`
 *
 * Lighthouse's scores of the console's pages on the sample: the median of so many runs, as a telephone and as a desktop
 * computer. Lighthouse needs a newer Node.js than Minutes; npx gets both for this run. Fails below 95 for performance and
 * below 100 for the others. `machine` is Lighthouse's own measure of the processor's speed: a busy machine scores less.
 */
const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    preset: { type: "string", multiple: true, default: ["mobile", "desktop"] },
    page: {
      type: "string",
      multiple: true,
      default: ["/sign-in", "/meetings", "/meetings/{meetingId}", "/tasks", "/keys", "/plan"],
    },
    json: { type: "boolean", default: false },
  },
});
const WANTED = { performance: 95, accessibility: 100, "best-practices": 100 } as const;
type Category = keyof typeof WANTED;
const CATEGORIES = Object.keys(WANTED) as Category[];
const METRICS = {
  "first-contentful-paint": "FCP ms",
  "largest-contentful-paint": "LCP ms",
  "total-blocking-time": "TBT ms",
  "speed-index": "SI ms",
};
type Metric = keyof typeof METRICS;

interface Report {
  readonly categories: Readonly<Record<Category, { score: number }>>;
  readonly audits: Readonly<Record<string, { score: number | null; title: string; numericValue?: number }>>;
  readonly environment: { readonly benchmarkIndex: number };
}

const chromium = findChromium();
if (!chromium) throw new Error("Chromium is not installed.");

// What pnpm tells its scripts, such as to refuse packages for other versions of Node.js, is not for npx.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm|pnpm)_/i.test(name)));

/** Runs Lighthouse once on a page. */
async function audit(url: string, cookie: string, preset: string): Promise<Report> {
  const args = [
    ...["-y", "-p", "node@24", "-p", "lighthouse@13.5.0", "lighthouse", url, "--quiet", "--output=json"],
    ...[
      `--only-categories=${CATEGORIES.join(",")}`,
      "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ],
    ...[`--extra-headers=${JSON.stringify({ Cookie: cookie })}`],
    ...(preset === "desktop" ? ["--preset=desktop"] : []),
  ];
  const { stdout } = await promisify(execFile)("npx", args, {
    env: { ...env, CHROME_PATH: chromium ?? "" },
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(stdout) as Report;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Audits a page so many times. @returns the medians, and what costs points */
async function measure(url: string, cookie: string, preset: string) {
  const reports: Report[] = [];
  for (let run = 0; run < Number(options.runs); run++) reports.push(await audit(url, cookie, preset));
  const middle = (pick: (report: Report) => number) => Math.round(median(reports.map(pick)));
  const scores = CATEGORIES.map((name) => [name, middle(({ categories }) => 100 * categories[name].score)]);
  const metrics = Object.entries(METRICS).map(([name, label]) => [
    label,
    middle(({ audits }) => audits[name as Metric]?.numericValue ?? 0),
  ]);
  const faults = Object.values(reports[0]?.audits ?? {}).filter(({ score }) => score !== null && score < 0.9);
  return {
    ...(Object.fromEntries(scores) as Record<Category, number>),
    ...Object.fromEntries(metrics),
    machine: middle(({ environment }) => environment.benchmarkIndex),
    ...(options.json ? { faults: faults.map(({ title }) => title) } : {}),
  };
}

const server = await startSampleServer({ RATE_LIMIT_PER_MINUTE: "1000000" });
try {
  const cookie = await signInAsAdmin(server);
  const meetingId = await findMeeting(server);
  const rows: Record<string, unknown>[] = [];
  for (const page of options.page)
    for (const preset of options.preset) {
      const scores = await measure(`${server.url}${page.replace("{meetingId}", meetingId)}`, cookie, preset);
      rows.push({ page, preset, ...scores });
      if (CATEGORIES.some((name) => scores[name] < WANTED[name])) process.exitCode = 1;
    }
  if (options.json) console.log(JSON.stringify(rows, null, 2));
  else console.table(rows);
} finally {
  await server.close();
}
