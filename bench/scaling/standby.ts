/**
 * `pnpm bench:standby`: the benefit and cost of reading from a standby. Starts its own primary and standby, and
 * measures
 * - the CPU time of both servers for a list, a detail and a search, with all statements on the primary, and with reads
 *   on the standby (the statement that checks the key and counts the quota writes, so it stays on the primary);
 * - the delay of a write that waits until the standby has applied it;
 * - the standby's lag while meetings are imported and tasks are changed.
 */
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { MeetingImport } from "@minutes/contract";
import { createUser, importMeeting, OPERATOR, setPlan } from "@minutes/core";
import { type Connection, connectPostgres } from "@minutes/db";
import { createApp, createHttpServer, parseConfig } from "@minutes/server";
import { createPersonalKey, findSearchBenchmark } from "@minutes/testing";
import pino from "pino";
import postgres, { type Sql } from "postgres";
import { readQmsumMeetings } from "../ingest/dataset.js";
import { listCases, toInput, toRequest } from "../requests/cases.js";
import { createDatabaseClock } from "../requests/database-cpu.js";
import { preparePostgres } from "../requests/dataset.js";
import { type BenchRequest, computeMedian, computeQuantile, runBurst } from "../requests/load.js";
import { readSplit } from "../search/dataset.js";
import { startPair } from "./own-servers.js";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    meetings: { type: "string", default: "10000" },
  },
});
const rounds = Number(options.rounds);
const milliseconds = Number(options.seconds) * 1_000;
const CONNECTIONS = 16;
const round3 = (value: number): number => Number(value.toPrecision(3));
const EMAIL = "searcher@bench.example";

const pair = await startPair();
try {
  await pair.setCommit("local");
  await measure();
} finally {
  await pair.stop();
}

async function measure(): Promise<void> {
  const dataset = await preparePostgres(pair.primary, Number(options.meetings));
  const url = dataset.settings.DATABASE_URL ?? "";
  const standbyUrl = Object.assign(new URL(pair.standby), { pathname: new URL(url).pathname }).href;
  const primary = await connectPostgres({ url });
  const { db } = primary;
  const { userId, workspaceId } = await createUser(db, OPERATOR, { email: EMAIL, name: "Searcher" });
  await setPlan(db, OPERATOR, workspaceId, "team");
  const { key } = await createPersonalKey(db, userId, "bench");
  const meetings = readQmsumMeetings(EMAIL).map(({ input }) => MeetingImport.parse(input));
  for (const meeting of meetings) await importMeeting(db, meeting);
  await db.execute("vacuum analyze");

  const isApplied = await watchReplication(url);
  await isApplied.wait();
  const standby = await connectPostgres({ url: standbyUrl, migrate: false });
  const routing = routeReads(primary, standby);
  const server = createHttpServer(
    createApp({
      connection: primary,
      config: parseConfig({ RATE_LIMIT_PER_MINUTE: "1000000000" }),
      publicUrl: () => "http://localhost",
      log: pino({ level: "silent" }),
      deadline: 60_000, // a busy machine is slow, but that is not measured here
    }),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const clocks = [createDatabaseClock(url), createDatabaseClock(standbyUrl)] as const;
  const readClocks = async () => [await clocks[0].read(), await clocks[1].read()] as const;

  const questions = readSplit(`${findSearchBenchmark()}/val`).queries.map(({ text }) =>
    toRequest(
      `/v1/me/meetings.search${toInput({ query: text, startDate: "2000-01-01", endDate: "2040-01-01" })}`,
      { key },
    ),
  );
  const cases = listCases(dataset);
  const find = (route: string) =>
    cases.find((each) => each.route === route && each.variant === "one hot key")?.requests ?? [];
  const reads: Record<string, readonly BenchRequest[]> = {
    "me/meetings.list": find("me/meetings.list"),
    "workspace/meetings.list": find("workspace/meetings.list"),
    "workspace/tasks.list": find("workspace/tasks.list"),
    "workspace/meetings.get": find("workspace/meetings.get"),
    "me/meetings.search": questions,
  };
  const updates = find("workspace/tasks.update");

  const table = [];
  for (const [route, requests] of Object.entries(reads)) {
    const alone: number[] = [];
    const left: number[] = [];
    const moved: number[] = [];
    const speed = { alone: [] as number[], split: [] as number[] };
    for (let round = 0; round <= rounds; round++)
      for (const isSplit of round % 2 ? [true, false] : [false, true]) {
        routing.readsFromStandby = isSplit;
        const before = await readClocks();
        const burst = await runBurst(port, requests, CONNECTIONS, milliseconds);
        const after = await readClocks();
        if (round === 0) continue; // warms up
        const toMs = (at: 0 | 1) => (after[at] - before[at]) / burst.requests / 1_000;
        (isSplit ? left : alone).push(toMs(0));
        if (isSplit) moved.push(toMs(1));
        speed[isSplit ? "split" : "alone"].push(burst.requests / burst.seconds);
      }
    table.push({
      route,
      "primary alone, ms": round3(computeMedian(alone)),
      "primary with standby, ms": round3(computeMedian(left)),
      "standby, ms": round3(computeMedian(moved)),
      "spared of the primary": `${Math.round(100 * computeMedian(left.map((ms, at) => 1 - ms / (alone[at] ?? 0))))} %`,
      "req/s alone": Math.round(computeMedian(speed.alone)),
      "req/s with standby": Math.round(computeMedian(speed.split)),
    });
  }
  console.log("Processor time of PostgreSQL's connections for a request:");
  console.table(table);

  const writes = [];
  for (const load of ["idle", "reads on the standby"] as const)
    for (const connections of [1, CONNECTIONS]) {
      const levels = ["local", "on", "remote_apply"] as const;
      const measured = levels.map(() => ({ p50: [] as number[], p95: [] as number[], rps: [] as number[] }));
      for (let round = 0; round < rounds; round++)
        for (const [at, level] of levels.entries()) {
          await pair.setCommit(level);
          routing.readsFromStandby = true;
          const [burst] = await Promise.all([
            runBurst(port, updates, connections, milliseconds),
            load === "idle" ? null : runBurst(port, questions, 4, milliseconds),
          ]);
          measured[at]?.p50.push(computeQuantile(burst.latencies, 0.5));
          measured[at]?.p95.push(computeQuantile(burst.latencies, 0.95));
          measured[at]?.rps.push(burst.requests / burst.seconds);
        }
      for (const [at, level] of levels.entries())
        writes.push({
          load,
          connections,
          synchronous_commit: level,
          "p50 ms": round3(computeMedian(measured[at]?.p50 ?? [])),
          "p95 ms": round3(computeMedian(measured[at]?.p95 ?? [])),
          "req/s": Math.round(computeMedian(measured[at]?.rps ?? [])),
        });
    }
  await pair.setCommit("local");
  console.log("workspace/tasks.update:");
  console.table(writes);

  const lags = [];
  for (const load of ["tasks.update", "imports", "imports, searches on the standby"] as const) {
    const samples: { ms: number; bytes: number }[] = [];
    let isDone = false;
    const sampling = (async () => {
      while (!isDone) {
        samples.push(await isApplied.lag());
        await new Promise((done) => setTimeout(done, 50));
      }
    })();
    const until = performance.now() + 6_000;
    const importing = async () => {
      for (let at = 0; performance.now() < until; at++) {
        const meeting = meetings[at % meetings.length] as (typeof meetings)[number];
        await importMeeting(db, { ...meeting, externalId: `${load} ${at}` });
      }
    };
    await Promise.all(
      load === "tasks.update"
        ? [runBurst(port, updates, CONNECTIONS, 6_000)]
        : [importing(), load === "imports" ? null : runBurst(port, questions, 4, 6_000)],
    );
    isDone = true;
    await sampling;
    const sorted = (name: "ms" | "bytes") => Float64Array.from(samples, (sample) => sample[name]).sort();
    lags.push({
      load,
      samples: samples.length,
      "median ms": round3(computeQuantile(sorted("ms"), 0.5)),
      "p95 ms": round3(computeQuantile(sorted("ms"), 0.95)),
      "longest ms": round3(sorted("ms").at(-1) ?? 0),
      "most bytes behind": sorted("bytes").at(-1),
    });
  }
  console.log("What the standby had still to apply:");
  console.table(lags);

  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await Promise.all([isApplied.close(), ...clocks.map((clock) => clock.close())]);
  await Promise.all([primary.close(), standby.close()]);
}

/** Routes reads to the standby while `readsFromStandby` is set. Hot paths use `unsafe`. */
function routeReads(primary: Connection, standby: Connection): { readsFromStandby: boolean } {
  const routing = { readsFromStandby: false };
  const getClient = ({ db }: Connection) => (db as unknown as { $client: Sql }).$client;
  const [own, other] = [getClient(primary), getClient(standby)];
  const ask = own.unsafe.bind(own);
  own.unsafe = ((text: string, ...rest: [never[]?, object?]) => {
    const reads = routing.readsFromStandby && !/\b(insert|update|delete|begin|commit|rollback)\b/i.test(text);
    return reads ? other.unsafe(text, ...rest) : ask(text, ...rest);
  }) as typeof own.unsafe;
  return routing;
}

/** Monitors the standby's lag on the primary. */
async function watchReplication(url: string) {
  const client = postgres(url, { max: 1, fetch_types: false });
  const lag = async () => {
    const [row] = await client<{ ms: number; bytes: number }[]>`
      select coalesce(extract(epoch from replay_lag) * 1000, 0)::float8 as ms,
        pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 as bytes from pg_stat_replication`;
    return row ?? { ms: Number.NaN, bytes: Number.NaN };
  };
  const wait = async () => {
    while (!((await lag()).bytes <= 0)) await new Promise((done) => setTimeout(done, 100));
  };
  return { lag, wait, close: () => client.end() };
}
