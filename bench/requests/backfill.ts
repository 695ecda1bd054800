/**
 * `pnpm bench:backfill`: latency of lists while the server identifies the people of meetings that the previous release
 * stored, against the same server without that work. Rounds alternate, and the work continues from round to round.
 */
import { parseArgs } from "node:util";
import { connectPostgres, schema } from "@minutes/db";
import { isNull } from "drizzle-orm";
import { listCases } from "./cases.js";
import { preparePostgres } from "./dataset.js";
import { computeQuantile, runBurst } from "./load.js";
import { startSubject } from "./subject.js";

const { values: options } = parseArgs({
  options: {
    connections: { type: "string", default: "4" },
    seconds: { type: "string", default: "20" },
    rounds: { type: "string", default: "3" },
    meetings: { type: "string", default: "1000000" },
    help: { type: "boolean", default: false },
  },
});
const serverUrl = process.env.BENCH_DATABASE_URL;
if (options.help || !serverUrl) {
  console.log(
    "BENCH_DATABASE_URL=postgres://… pnpm bench:backfill [--connections 4] [--seconds 20] [--rounds 3] [--meetings 1000000]",
  );
  process.exit(options.help ? 0 : 2);
}

const ROUTES = ["me/meetings.list", "workspace/meetings.list", "workspace/tasks.list"];
/** Time in ms before a measurement, for connections and plans. */
const WARM_UP = 2_000;

// The dataset's rows have no people, as those of the previous release.
const dataset = await preparePostgres(serverUrl, Number(options.meetings), "minutes_bench_backfill");
const settings: Readonly<Record<string, string>> = {
  ...dataset.settings,
  RATE_LIMIT_PER_MINUTE: "1000000000",
};
const cases = listCases(dataset);
const { db, close } = await connectPostgres({ url: settings.DATABASE_URL ?? "", migrate: false });
const countOpen = () => db.$count(schema.tasks, isNull(schema.tasks.assigneePersonId));

const latencies = new Map<string, number[]>();
const first = await countOpen();
for (let round = 0; round < Number(options.rounds); round++) {
  for (const work of ["off", "on"]) {
    const subject = await startSubject("./minutes-server.ts", { ...settings, IDENTIFY: work });
    for (const route of ROUTES) {
      const requests = cases.find((one) => one.route === route && /key/.test(one.variant))?.requests ?? [];
      const burst = (milliseconds: number) =>
        runBurst(subject.port, requests, Number(options.connections), milliseconds);
      await burst(WARM_UP);
      const { later } = await burst(Number(options.seconds) * 1_000);
      const name = `${route} ${work}`;
      latencies.set(name, [...(latencies.get(name) ?? []), ...later]);
    }
    subject.stop();
  }
}
const left = await countOpen();
await close();

const quantile = (name: string, at: number) =>
  computeQuantile(Float64Array.from(latencies.get(name) ?? []).sort(), at);
const seconds = Number(options.rounds) * ROUTES.length * (Number(options.seconds) + WARM_UP / 1_000);
console.log(
  `${options.connections} connections, ${options.meetings} meetings; identified ${Math.round((first - left) / seconds)} tasks a second, ${left} left`,
);
console.table(
  ROUTES.map((route) => {
    const [without, during] = [quantile(`${route} off`, 0.95), quantile(`${route} on`, 0.95)];
    return {
      route,
      "p95 without, ms": Number(without.toFixed(2)),
      "p95 meanwhile, ms": Number(during.toFixed(2)),
      "meanwhile / without": Number((during / without).toFixed(2)),
    };
  }),
);
if (left === 0) console.log("All people were identified before the end: measure more meetings or less time.");
process.exit(0);
