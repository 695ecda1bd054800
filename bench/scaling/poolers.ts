/**
 * `pnpm bench:poolers`: the cost of requests through a connection pooler, with named and unnamed statements, compared
 * with a direct connection to the same server. Figures are medians of interleaved rounds.
 */
import { parseArgs } from "node:util";
import { listCases } from "../requests/cases.js";
import { createDatabaseClock } from "../requests/database-cpu.js";
import { preparePostgres } from "../requests/dataset.js";
import { computeMedian, computeQuantile, runBurst } from "../requests/load.js";
import { type Subject, startSubject } from "../requests/subject.js";

const { BENCH_DATABASE_URL, BENCH_POOLER_URL } = process.env;
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "1" },
    meetings: { type: "string", default: "10000" },
    /** For poolers that lose prepared statements: measures only unnamed ones. */
    unnamed: { type: "boolean", default: false },
  },
});
if (!BENCH_DATABASE_URL || !BENCH_POOLER_URL) {
  console.log("BENCH_DATABASE_URL=postgres://… BENCH_POOLER_URL=postgres://… pnpm bench:poolers [--unnamed]");
  process.exit(2);
}
const CONNECTIONS = 16;
const ROUTES = [
  "me/meetings.list",
  "workspace/tasks.list",
  "workspace/meetings.get",
  "workspace/tasks.update",
];

const dataset = await preparePostgres(BENCH_DATABASE_URL, Number(options.meetings));
const directUrl = dataset.settings.DATABASE_URL ?? "";
const pooledUrl = Object.assign(new URL(BENCH_POOLER_URL), { pathname: new URL(directUrl).pathname }).href;
const pooled = { DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: directUrl };
const ways: Record<string, Record<string, string>> = {
  direct: { DATABASE_URL: directUrl },
  ...(options.unnamed ? {} : { "pooler, named": pooled }),
  "pooler, unnamed": { ...pooled, DATABASE_STATEMENTS: "unnamed" },
};
const subjects: { way: string; subject: Subject }[] = [];
for (const [way, settings] of Object.entries(ways))
  subjects.push({
    way,
    subject: await startSubject("./minutes-server.ts", {
      ...settings,
      DATABASE_POOL: "10",
      RATE_LIMIT_PER_MINUTE: "1000000000",
      LOG_LEVEL: "warn",
    }),
  });
const clock = createDatabaseClock(directUrl);
const rows = [];
for (const route of ROUTES) {
  const requests =
    listCases(dataset).find((each) => each.route === route && each.variant === "one hot key")?.requests ?? [];
  const measured = subjects.map((each) => ({
    ...each,
    node: [] as number[],
    database: [] as number[],
    p50: [] as number[],
  }));
  for (let round = 0; round <= Number(options.rounds); round++)
    for (const each of round % 2 ? measured : measured.toReversed()) {
      const [node, database] = await Promise.all([each.subject.readCpuTime(), clock.read()]);
      const burst = await runBurst(each.subject.port, requests, CONNECTIONS, Number(options.seconds) * 1_000);
      const [nodeAfter, databaseAfter] = await Promise.all([each.subject.readCpuTime(), clock.read()]);
      if (round === 0) continue; // warms up
      each.node.push((nodeAfter - node) / burst.requests / 1_000);
      each.database.push((databaseAfter - database) / burst.requests / 1_000);
      each.p50.push(computeQuantile(burst.latencies, 0.5));
    }
  const [direct] = measured;
  const compare = (name: "node" | "database" | "p50", each: (typeof measured)[number]) =>
    Number(
      computeMedian(each[name].map((value, at) => value / (direct?.[name][at] ?? Number.NaN))).toFixed(2),
    );
  for (const each of measured)
    rows.push({
      route,
      way: each.way,
      "server's cpu ms": Number(computeMedian(each.node).toFixed(3)),
      "× direct": compare("node", each),
      "database's cpu ms": Number(computeMedian(each.database).toFixed(3)),
      "× direct ": compare("database", each),
      "p50 ms": Number(computeMedian(each.p50).toFixed(2)),
      "× direct  ": compare("p50", each),
    });
}
for (const { subject } of subjects) subject.stop();
await clock.close();
console.table(rows);
