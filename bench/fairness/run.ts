/**
 * `pnpm bench:fairness`: how long a neighbor's cheap reads take beside one tenant at the worst legal load of each kind.
 * Each load runs between two baselines of the same length, so the ratios come from one run.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LIMITS, type MeetingImportInput } from "@minutes/contract";
import { connectEmbedded, connectPostgres, type Database } from "@minutes/db";
import { givenOn } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { computeQuantile } from "../requests/load.js";
import { startSubject } from "../requests/subject.js";
import { createTemporaryDatabase } from "../search/service.js";
import { type Job, KINDS, type Kind, sendOne, type Tenant, type TenantReport } from "./tenant.js";

const { values: options } = parseArgs({
  options: {
    turns: { type: "string", default: "20000" },
    connections: { type: "string", default: "12" },
    readers: { type: "string", default: "4" },
    pause: { type: "string", default: "10" },
    seconds: { type: "string", default: "6" },
    requests: { type: "string", default: "100" },
    kinds: { type: "string", default: KINDS.join() },
    only: { type: "string", default: "" },
    holds: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(`[BENCH_DATABASE_URL=postgres://…] pnpm bench:fairness [options]
  --turns 20000            of each of the tenant's meetings
  --connections 12         of the tenant, with a long meeting each
  --readers 4              connections of the neighbor
  --pause 10               time in ms between two reads of a connection
  --seconds 6              of each measurement
  --requests 100           of the tenant's key: a minute's quota
  --kinds ${KINDS.join()}
  --only postgres          one engine; also "embedded"
  --holds                  also prints what held the event loop; the profiler slows the process
  --json                   prints the figures as JSON`);
  process.exit(0);
}
const { BENCH_DATABASE_URL } = process.env;
const TURNS = Number(options.turns);
const CONNECTIONS = Number(options.connections);

/** The neighbor's data: enough for full pages. */
const NEIGHBOR = { meetings: 60, turns: 40 };
/** Number of tasks and of distinct rare words of the tenant. */
const RARE_WORDS = 20_000;

/** Half of the words are in many passages; the others are rare. */
const say = (at: number): string =>
  Array.from({ length: 12 }, (_, word) =>
    word % 2 === 0 ? `common${(at + word) % 40}` : `rare${(at * 7 + word * 131) % RARE_WORDS}`,
  ).join(" ");

const fill = (turns: number): Pick<MeetingImportInput, "transcript" | "tasks"> => ({
  transcript: Array.from({ length: turns }, (_, at) => ({
    speakerId: `s${at % 20}`,
    speakerName: `Person ${at % 20}`,
    text: say(at),
  })),
  tasks: [{ text: say(1) }, { text: say(2) }],
});

/** What the neighbor reads, in turn. */
interface Neighbor {
  readonly key: string;
  readonly paths: readonly string[];
}

async function createScene(db: Database): Promise<{ tenant: Tenant; neighbor: Neighbor }> {
  const given = givenOn(db);
  const company = await given.company({ plan: "enterprise" });
  const { admin } = company;
  const meetingIds: string[] = [];
  for (let at = 0; at < CONNECTIONS; at++)
    meetingIds.push((await given.meeting(admin, fill(TURNS))).meetingId);
  const person = await given.person();
  let meetingId = "";
  for (let at = 0; at < NEIGHBOR.meetings; at++)
    ({ meetingId } = await given.meeting(person, fill(NEIGHBOR.turns)));
  // As maintenance does soon after an import.
  await db.execute(sql`analyze`);
  const input = encodeURIComponent(JSON.stringify({ json: { meetingId } }));
  return {
    tenant: {
      key: admin.key,
      ingestKey: await given.ingestKey(company),
      email: admin.email,
      meetingIds,
      content: fill(TURNS),
      query: Array.from({ length: 250 }, (_, at) => `rare${at * 79}`)
        .join(" ")
        .slice(0, LIMITS.searchQueryMax),
    },
    neighbor: {
      key: person.key,
      paths: ["/v1/me/meetings.list", `/v1/me/meetings.get?input=${input}`, "/v1/me/tasks.list"],
    },
  };
}

/** The neighbor's reads in a time. */
interface Reads {
  readonly p50: number;
  readonly p95: number;
  readonly worst: number;
  /** Number of answers with a status other than 200. */
  readonly refused: number;
  readonly count: number;
}

/** Reads as the neighbor until told to stop, or for the usual time. */
async function read(
  port: number,
  { key, paths }: Neighbor,
  until: Promise<unknown> = new Promise(() => {}),
): Promise<Reads> {
  const times: number[] = [];
  let refused = 0;
  let done = false;
  const end = Promise.race([sleep(Number(options.seconds) * 1_000), until]).then(() => {
    done = true;
  });
  const readInTurn = async (first: number) => {
    for (let at = first; !done; at++) {
      const started = performance.now();
      const path = paths[at % paths.length] as string;
      const { status } = await sendOne(port, { path, headers: { "x-api-key": key } });
      times.push(performance.now() - started);
      if (status !== 200) refused += 1;
      await sleep(Number(options.pause));
    }
  };
  await Promise.all([
    end,
    ...Array.from({ length: Number(options.readers) }, (_, first) => readInTurn(first)),
  ]);
  const sorted = Float64Array.from(times).sort();
  const at = (q: number) => computeQuantile(sorted, q);
  return { p50: at(0.5), p95: at(0.95), worst: at(1), refused, count: times.length };
}

/** Runs a load in a process of its own, so that its answers don't delay the neighbor's clock. */
async function runLoad<Result>(
  job: Job,
  measure: (ended: Promise<unknown>) => Promise<Result>,
): Promise<{ result: Result; report: TenantReport }> {
  const child = fork(new URL("./tenant.ts", import.meta.url), { execArgv: ["--import", "tsx"] });
  child.send(job);
  await once(child, "message");
  const ended = once(child, "message") as Promise<[TenantReport]>;
  const result = await measure(ended);
  child.send("stop");
  const [report] = await ended;
  child.disconnect();
  return { result, report };
}

interface Figure {
  readonly engine: string;
  readonly kind: Kind;
  readonly baseline: Pick<Reads, "p50" | "p95">;
  readonly beside: Reads;
  readonly ratio: number;
  readonly tenant: TenantReport;
}

async function measure(engine: string, url: string | null): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "minutes-fairness-"));
  const database = url === null ? null : await createTemporaryDatabase(url);
  const connection = database
    ? await connectPostgres({ url: database.url })
    : await connectEmbedded({ dataDir });
  const { tenant, neighbor } = await createScene(connection.db);
  await connection.close();
  const server = await startSubject("./minutes-server.ts", {
    ...(database ? { DATABASE_URL: database.url } : { DATA_DIR: dataDir }),
    ...{ RATE_LIMIT_PER_MINUTE: "1000000", INGEST_LIMIT_PER_MINUTE: "1000000", LOG_LEVEL: "silent" },
    SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
  });
  const { port } = server;
  const figures: Figure[] = [];
  await read(port, neighbor);
  let before = await read(port, neighbor);
  for (const kind of options.kinds.split(",") as Kind[]) {
    const requests = kind === "import" ? 1_000 : Number(options.requests);
    const job = { port, tenant, kind, requests, connections: CONNECTIONS };
    const beginLoad = () => runLoad(job, (ended) => read(port, neighbor, ended));
    const { result, holds } = options.holds
      ? await server.watchHolds(beginLoad)
      : { result: await beginLoad(), holds: null };
    const { result: beside, report } = result;
    if (holds) console.log(JSON.stringify(holds, null, 1));
    // Statements that the last calls left behind end first.
    await sleep(3_000);
    const after = await read(port, neighbor);
    const mean = (name: "p50" | "p95") => (before[name] + after[name]) / 2;
    const baseline = { p50: mean("p50"), p95: mean("p95") };
    figures.push({ engine, kind, baseline, beside, ratio: beside.p95 / baseline.p95, tenant: report });
    if (!options.json) print(figures.at(-1) as Figure);
    before = after;
  }
  server.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
  return figures;
}

function print({ engine, kind, baseline, beside, ratio, tenant }: Figure): void {
  const [alone50, alone95, p50, p95, worst] = [
    baseline.p50,
    baseline.p95,
    beside.p50,
    beside.p95,
    beside.worst,
  ].map((milliseconds) => milliseconds.toFixed(1));
  const statuses = Object.entries(tenant.statuses).map(([status, count]) => `${count} × ${status}`);
  console.log(
    `| ${engine} | ${kind} | ${alone50} | ${alone95} | ${p50} | ${p95} | ${worst} | ${ratio.toFixed(1)} | ${beside.refused} of ${beside.count} | ${statuses.join(", ")} |`,
  );
}

if (!options.json)
  console.log(
    "| Engine | Tenant | Alone p50, ms | p95 | Beside p50 | p95 | Worst | p95 × alone | Refused | Tenant's answers |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
  );
const figures: Figure[] = [];
if ("embedded".startsWith(options.only)) figures.push(...(await measure("embedded", null)));
if (BENCH_DATABASE_URL && "postgres".startsWith(options.only))
  figures.push(...(await measure("PostgreSQL", BENCH_DATABASE_URL)));
if (options.json) console.log(JSON.stringify(figures));
process.exit(0);
