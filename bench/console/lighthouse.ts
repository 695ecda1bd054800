import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import { findChromium } from "@minutes/testing";
import { signInAsAdmin, startSampleServer } from "./sample-server.js";

/**
 * `pnpm bench:console [--runs 3] [--preset mobile|desktop] [--json]`
 *
 * Lighthouse's scores of the console's pages on the sample: the median of so many runs. Lighthouse needs a newer Node.js
 * than Minutes; npx gets both for this run. Fails below 95 for performance and below 100 for the others.
 */
const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    preset: { type: "string", default: "mobile" },
    page: { type: "string", multiple: true },
    json: { type: "boolean", default: false },
  },
});
const WANTED = { performance: 95, accessibility: 100, "best-practices": 100 } as const;
type Category = keyof typeof WANTED;
const CATEGORIES = Object.keys(WANTED) as Category[];
const PAGES = ["/sign-in", "/meetings", "/tasks", "/keys", "/plan"];

interface Report {
  readonly categories: Readonly<Record<Category, { score: number }>>;
  readonly audits: Readonly<Record<string, { score: number | null; title: string; numericValue?: number }>>;
}

const chromium = findChromium();
if (!chromium) throw new Error("Chromium is not installed.");

/** Runs Lighthouse once on a page. */
async function audit(url: string, cookie: string): Promise<Report> {
  const args = [
    ...["-y", "-p", "node@24", "-p", "lighthouse@13.5.0", "lighthouse", url, "--quiet", "--output=json"],
    ...[
      `--only-categories=${CATEGORIES.join(",")}`,
      "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ],
    ...[`--extra-headers=${JSON.stringify({ Cookie: cookie })}`],
    ...(options.preset === "desktop" ? ["--preset=desktop"] : []),
  ];
  const { stdout } = await promisify(execFile)("npx", args, {
    env: { ...process.env, CHROME_PATH: chromium ?? "" },
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(stdout) as Report;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const server = await startSampleServer({ RATE_LIMIT_PER_MINUTE: "1000000" });
try {
  const cookie = await signInAsAdmin(server);
  const rows: Record<string, string | number>[] = [];
  for (const page of options.page ?? PAGES) {
    const reports: Report[] = [];
    for (let run = 0; run < Number(options.runs); run++)
      reports.push(await audit(`${server.url}${page}`, cookie));
    const scores = CATEGORIES.map((name) => [
      name,
      Math.round(100 * median(reports.map(({ categories }) => categories[name].score))),
    ]);
    // What costs points is named, so that it can be mended.
    const faults = Object.values(reports[0]?.audits ?? {}).filter(
      ({ score }) => score !== null && score < 0.9,
    );
    rows.push({ page, ...Object.fromEntries(scores), faults: faults.map(({ title }) => title).join("; ") });
    if (CATEGORIES.some((name) => Number(rows.at(-1)?.[name]) < WANTED[name])) process.exitCode = 1;
  }
  if (options.json) console.log(JSON.stringify(rows, null, 2));
  else console.table(rows);
} finally {
  await server.close();
}
