import postgres from "postgres";
import { listCases } from "./cases.js";
import { preparePostgres } from "./dataset.js";
import { type BenchRequest, computeMedian, runBurst } from "./load.js";
import { startSubject } from "./subject.js";
import { countTraffic } from "./wire.js";

/** What one request costs, in what can be counted: the same on a busy machine as on a quiet one. */
export interface Counts {
  /** Functions called, and branches and loops entered, in the server's process. */
  readonly steps: number;
  /** Bytes that the server's process allocated: they tell of work inside of built-in functions, too. */
  readonly allocated: number;
  /** Pages that the database touched. */
  readonly pages: number;
  /** Bytes between the server and the database. */
  readonly bytes: number;
  /** Round trips between them. */
  readonly trips: number;
}

const COPY = "minutes_bench_counts";
/** The first requests plan statements; from the sixth on, plans stay. */
const WARMUP = 10;
const ROUNDS = 3;
const REQUESTS = 40;
/**
 * No garbage is collected while memory is counted, and no code is compiled for what it met by then, which depends on how fast
 * the machine is.
 */
const FLAGS = [
  "--min-semi-space-size=256",
  "--max-semi-space-size=256",
  "--expose-gc",
  "--no-opt",
  "--no-flush-bytecode",
];

/** Counts what each route costs, with one key on one connection, one request at a time. */
export async function countRequests(serverUrl: string, meetings: number): Promise<Record<string, Counts>> {
  const dataset = await preparePostgres(serverUrl, meetings, COPY);
  const traffic = await countTraffic(dataset.settings.DATABASE_URL ?? "");
  // No statement of its own in the counted database.
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

  /** Closes the server's connections, and reads the pages that they and all before them have touched. */
  const readPages = async (): Promise<number> => {
    await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${COPY}`;
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
      // Without what a new connection and its first requests touch.
      pages: (await readPages()) - warm - (warm - start),
    };
  };

  const counts: Record<string, Counts> = {};
  for (const { route, variant, requests } of listCases(dataset)) {
    if (variant !== "one hot key") continue;
    const rounds: Counts[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await countRound(requests));
    // The median: what the server does from time to time falls into one of the rounds.
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
