/**
 * `pnpm bench:metrics`: the cost of observability. Compares the same server with and without the settings of `--with`,
 * in interleaved rounds of one run: the CPU time of a request, and of a scrape under load.
 */
import { parseArgs } from "node:util";
import { listCases } from "./cases.js";
import { preparePostgres } from "./dataset.js";
import { computeMedian, runBurst } from "./load.js";
import { startSubject } from "./subject.js";

const TOKEN = "a-token-for-the-benchmark";
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    seconds: { type: "string", default: "1" },
    connections: { type: "string", default: "16" },
    size: { type: "string", default: "10000" },
    with: { type: "string", multiple: true, default: [`METRICS_TOKEN=${TOKEN}`] },
    help: { type: "boolean", default: false },
  },
});
const serverUrl = process.env.BENCH_DATABASE_URL;
if (options.help || !serverUrl) {
  console.log(`BENCH_DATABASE_URL=postgres://… pnpm bench:metrics [options]
  --rounds 15  --seconds 1  --connections 16  --size 10000
  --with NAME=VALUE    a setting of the second server instead of METRICS_TOKEN; repeat it for more`);
  process.exit(options.help ? 0 : 2);
}
const connections = Number(options.connections);
const milliseconds = Number(options.seconds) * 1000;
const dataset = await preparePostgres(serverUrl, Number(options.size));
const settings = { ...dataset.settings, RATE_LIMIT_PER_MINUTE: "1000000000", LOG_LEVEL: "info" };
const extra = Object.fromEntries(options.with.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
const off = await startSubject("./minutes-server.ts", settings);
const on = await startSubject("./minutes-server.ts", { ...settings, ...extra });
const scrape = () =>
  fetch(`http://127.0.0.1:${on.port}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } }).then(
    (answer) => answer.text(),
  );

/** Measures one burst. @returns the CPU time per request in ms */
async function measure(subject: typeof off, requests: Parameters<typeof runBurst>[1]): Promise<number> {
  const before = await subject.readCpuTime();
  const burst = await runBurst(subject.port, requests, connections, milliseconds);
  return ((await subject.readCpuTime()) - before) / burst.requests / 1000;
}

const rows = [];
for (const { route, variant, requests } of listCases(dataset)) {
  if (variant !== "one hot key" || !route.endsWith("meetings.list")) continue;
  const times = { off: [] as number[], on: [] as number[], ratio: [] as number[] };
  for (const subject of [off, on]) await runBurst(subject.port, requests, connections, 1_000);
  for (let round = 0; round < Number(options.rounds); round++) {
    const order = round % 2 ? (["on", "off"] as const) : (["off", "on"] as const);
    const took = { off: 0, on: 0 };
    for (const name of order) took[name] = await measure(name === "on" ? on : off, requests);
    times.off.push(took.off);
    times.on.push(took.on);
    times.ratio.push(took.on / took.off);
  }
  const sorted = times.ratio.toSorted((a, b) => a - b);
  rows.push({
    route,
    "off, CPU ms": computeMedian(times.off).toFixed(3),
    "on, CPU ms": computeMedian(times.on).toFixed(3),
    ratio: computeMedian(times.ratio).toFixed(3),
    spread: `${sorted[0]?.toFixed(2)}–${sorted.at(-1)?.toFixed(2)}`,
  });
}
console.table(rows);

// A scrape's own time, with all counters set; the database is queried at most every 5 seconds.
const SCRAPES = 100;
const before = await on.readCpuTime();
let bytes = 0;
for (let done = 0; done < SCRAPES; done++) bytes = (await scrape()).length;
const each = ((await on.readCpuTime()) - before) / SCRAPES / 1000;
const part = (each / 15_000) * 100;
console.log(
  `a scrape: ${each.toFixed(2)} ms of processor time, ${bytes} bytes; every 15 s: ${part.toFixed(3)} %`,
);
off.stop();
on.stop();
