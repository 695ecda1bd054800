import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { listCases } from "./cases.js";
import { preparePostgres } from "./dataset.js";
import { type BenchRequest, computeMedian, runBurst } from "./load.js";
import { startSubject } from "./subject.js";
import { countTraffic } from "./wire.js";

/** The countable cost of one request, independent of the machine's load. */
export interface Counts {
  /** Called functions and entered branches and loops in the server's process. */
  readonly steps: number;
  /** Bytes allocated by the server's process, which include work in built-in functions. */
  readonly allocated: number;
  /** Pages accessed by the database. */
  readonly pages: number;
  /** Bytes between the server and the database. */
  readonly bytes: number;
  /** Round trips between them. */
  readonly trips: number;
}

const COPY = "minutes_bench_counts";
/** The first requests plan statements; from the sixth on, plans are reused. */
const WARMUP = 10;
const ROUNDS = 3;
const REQUESTS = 40;
/** Prevents garbage collection while memory is counted, and optimizations that depend on the machine's speed. */
const FLAGS = [
  "--min-semi-space-size=256",
  "--max-semi-space-size=256",
  "--expose-gc",
  "--no-opt",
  "--no-flush-bytecode",
];

/** Counts the costs of each route, with one key on one connection, one request at a time. */
export async function countRequests(serverUrl: string, meetings: number): Promise<Record<string, Counts>> {
  const dataset = await preparePostgres(serverUrl, meetings, COPY);
  const traffic = await countTraffic(dataset.settings.DATABASE_URL ?? "");
  // Runs no statement of its own in the counted database.
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} });
  const server = await startSubject(
    "./minutes-server.ts",
    {
      DATABASE_URL: traffic.url,
      DATABASE_POOL: "1",
      RATE_LIMIT_PER_MINUTE: "1000000000",
      LOG_LEVEL: "info",
    },
    FLAGS,
  );
  await server.startCounting();
  const send = (requests: readonly BenchRequest[], number: number) =>
    runBurst(server.port, requests, 1, Number.POSITIVE_INFINITY, number);

  /** Closes the server's connections, and reads the pages that all connections so far have accessed. */
  const readPages = async (): Promise<number> => {
    await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${COPY}`;
    while (!traffic.isIdle()) await sleep(10);
    // By the time of this answer, the server has read the end of its connection.
    await fetch(`http://127.0.0.1:${server.port}/health`);
    const [row] = await admin<{ pages: number }[]>`
      select (blks_hit + blks_read)::int as pages from pg_stat_database where datname = ${COPY}`;
    return row?.pages ?? 0;
  };

  const countRound = async (requests: readonly BenchRequest[]): Promise<Counts> => {
    const start = await readPages();
    await send(requests, WARMUP);
    const warm = await readPages();
    await send(requests, WARMUP);
    await server.readSteps();
    const [memory, before] = [await server.readMemory(), traffic.read()];
    await send(requests, REQUESTS);
    const after = traffic.read();
    return {
      allocated: (await server.readMemory()) - memory,
      steps: await server.readSteps(),
      bytes: after.bytes - before.bytes,
      trips: after.trips - before.trips,
      // Without the pages accessed by a new connection and its first requests.
      pages: (await readPages()) - warm - (warm - start),
    };
  };

  const counts: Record<string, Counts> = {};
  for (const { route, variant, requests } of listCases(dataset)) {
    if (variant !== "one hot key") continue;
    const rounds: Counts[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await countRound(requests));
    // The median: periodic work of the server falls into only one of the rounds.
    const settle = (name: keyof Counts) =>
      Math.round((computeMedian(rounds.map((each) => each[name])) / REQUESTS) * 10) / 10;
    counts[route] = {
      steps: settle("steps"),
      allocated: settle("allocated"),
      pages: settle("pages"),
      bytes: settle("bytes"),
      trips: settle("trips"),
    };
  }
  server.stop();
  traffic.close();
  await admin.unsafe(`drop database ${COPY} with (force)`);
  await admin.end();
  return counts;
}
