/**
 * `pnpm bench:tail`: latency of mixed reads with many connections, next to the bare handler. The first call of each
 * connection is reported apart: libuv accepts one connection per turn of the event loop, so connections that are opened
 * at once on a busy server wait for as many turns as there are connections before them.
 * @see https://github.com/libuv/libuv/pull/3696
 */
import { parseArgs } from "node:util";
import { type Case, listCases } from "./cases.js";
import { preparePostgres } from "./dataset.js";
import { type BenchRequest, computeQuantile, runBurst } from "./load.js";
import { startSubject } from "./subject.js";

const { values: options } = parseArgs({
  options: {
    connections: { type: "string", default: "200" },
    seconds: { type: "string", default: "60" },
    meetings: { type: "string", default: "10000" },
    pool: { type: "string", default: "10" },
    help: { type: "boolean", default: false },
  },
});
const serverUrl = process.env.BENCH_DATABASE_URL;
if (options.help || !serverUrl) {
  console.log(
    "BENCH_DATABASE_URL=postgres://… pnpm bench:tail [--connections 200] [--seconds 60] [--meetings 10000] [--pool 10]",
  );
  process.exit(options.help ? 0 : 2);
}

/** The mix: each list as often as the other, with one full meeting for every three lists. */
const ROUTES = [
  "me/meetings.list",
  "workspace/meetings.list",
  "workspace/tasks.list",
  "workspace/meetings.get",
];
const milliseconds = Number(options.seconds) * 1000;
const connections = Number(options.connections);

const dataset = await preparePostgres(serverUrl, Number(options.meetings));
const settings = {
  ...dataset.settings,
  DATABASE_POOL: options.pool,
  RATE_LIMIT_PER_MINUTE: "1000000000",
  LOG_LEVEL: "info",
};
const cases = listCases(dataset);
const rows = [];
for (const { name, file, variants } of [
  { name: "bare", file: "./bare-server.ts", variants: ["bare"] },
  { name: "product", file: "./minutes-server.ts", variants: ["many keys", "one hot key"] },
]) {
  const subject = await startSubject(file, settings);
  const requests = mix(ROUTES.map((route) => findRequests(cases, route, variants)));
  await runBurst(subject.port, requests, connections, 2_000);
  const {
    first,
    later,
    requests: calls,
    seconds,
  } = await runBurst(subject.port, requests, connections, milliseconds);
  subject.stop();
  const toMs = (quantile: number) => Math.round(computeQuantile(later, quantile));
  rows.push({
    variant: name,
    "req/s": Math.round(calls / seconds),
    "p50 ms": toMs(0.5),
    "p99 ms": toMs(0.99),
    "slowest ms": toMs(1),
    "p99 / p50": Number((computeQuantile(later, 0.99) / computeQuantile(later, 0.5)).toFixed(2)),
    "first call, median ms": Math.round(computeQuantile(first, 0.5)),
    "first call, slowest ms": Math.round(computeQuantile(first, 1)),
  });
}
console.log(
  `${connections} connections, ${options.seconds} s each, ${options.meetings} meetings, DATABASE_POOL=${options.pool}`,
);
console.table(rows);
process.exit(0);

/** Returns the requests of a route in the first variant that has it. */
function findRequests(
  all: readonly Case[],
  route: string,
  variants: readonly string[],
): readonly BenchRequest[] {
  const found = all.find((each) => each.route === route && variants.includes(each.variant));
  if (!found) throw new Error(`${route} has no requests`);
  return found.requests;
}

/** Interleaves lists of requests. */
function mix(lists: readonly (readonly BenchRequest[])[]): BenchRequest[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }).flatMap((_, at) =>
    lists.map((list) => list[at % list.length] as BenchRequest),
  );
}
