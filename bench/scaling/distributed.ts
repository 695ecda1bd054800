/**
 * `pnpm bench:distributed`: compares a database with a copy distributed over a coordinator and its workers in one run:
 * list, get, search and import; CPU time per server; and the placement of bytes and blocks.
 */
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { MeetingImport } from "@minutes/contract";
import { createUser, importMeeting, OPERATOR, setPlan } from "@minutes/core";
import { connectPostgres, distributeDatabase } from "@minutes/db";
import { createApp, createHttpServer, parseConfig } from "@minutes/server";
import { createPersonalKey, findSearchBenchmark } from "@minutes/testing";
import { sql } from "drizzle-orm";
import pino from "pino";
import postgres from "postgres";
import { readQmsumMeetings } from "../ingest/dataset.js";
import { toInput, toRequest } from "../requests/cases.js";
import { createDatabaseClock } from "../requests/database-cpu.js";
import { type BenchRequest, computeMedian, computeQuantile, runBurst } from "../requests/load.js";
import { copyMeetings } from "../search/copies.js";
import { readSplit } from "../search/dataset.js";
import { createTwoDatabases } from "./cluster.js";

const { values: options } = parseArgs({
  options: {
    copies: { type: "string", default: "6" },
    imports: { type: "string", default: "40" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    shards: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const coordinatorUrl = process.env.BENCH_CITUS_URL;
if (options.help || !coordinatorUrl) {
  console.log(
    "BENCH_CITUS_URL=postgres://… pnpm bench:distributed [--copies 6] [--imports 40] [--shards 2] [--rounds 5]\n" +
      "Needs a database of a Citus coordinator that knows its workers, all on this machine.",
  );
  process.exit(options.help ? 0 : 2);
}
const SOURCE = "source@bench.example";
const EMAIL = "reader@bench.example";
const CONNECTIONS = 8;
const round3 = (value: number): number => Number(value.toPrecision(3));

const databases = await createTwoDatabases(coordinatorUrl);
const [spreadUrl = ""] = databases.nodes;
try {
  const key = await fill();
  await databases.copy();
  const began = performance.now();
  const moved = await distributeDatabase(spreadUrl, {
    shards: options.shards === undefined ? undefined : Number(options.shards),
  });
  console.log(
    `spread ${moved.join(", ")} in ${round3((performance.now() - began) / 1000)} s, ${options.shards ?? "one per worker"} shards`,
  );
  for (const url of [databases.alone, spreadUrl]) await analyze(url);
  await measure(key);
  await showBytes();
  await showBlocks();
} finally {
  await databases.drop();
}

/** Imports all meetings of the public benchmark for one person and copies them for another, whose key is returned. */
async function fill(): Promise<string> {
  const connection = await connectPostgres({ url: databases.alone });
  const { db } = connection;
  for (const email of [SOURCE, EMAIL]) {
    const { workspaceId } = await createUser(db, OPERATOR, { email, name: email });
    await setPlan(db, OPERATOR, workspaceId, "team");
  }
  for (const { input } of readQmsumMeetings(SOURCE)) await importMeeting(db, MeetingImport.parse(input));
  await copyMeetings(db, SOURCE, EMAIL, Number(options.copies));
  // Data that is not part of search is copied here.
  await db.execute(sql`insert into participants (meeting_id, id, position, name)
    select c.id, p.id, p.position, p.name from meetings c join participants p on p.meeting_id = regexp_replace(c.id, '^.*/', '')
    where c.id like '%/%'`);
  await db.execute(sql`insert into transcript_segments (meeting_id, position, speaker_id, text, start_seconds, end_seconds)
    select c.id, s.position, s.speaker_id, s.text, s.start_seconds, s.end_seconds
    from meetings c join transcript_segments s on s.meeting_id = regexp_replace(c.id, '^.*/', '') where c.id like '%/%'`);
  const [reader] = await db
    .select({
      id: sql<string>`u.id`,
      chunks: sql<number>`(select sum(d.chunks)::int from search_documents d join meetings m on m.id = d.meeting_id where m.user_id = u.id)`,
    })
    .from(sql`users u where email = ${EMAIL}`);
  if (!reader) throw new Error("The reader is missing.");
  const { key } = await createPersonalKey(db, reader.id, "bench");
  console.log(`${reader.chunks} chunks of the caller`);
  await connection.close();
  return key;
}

async function analyze(url: string): Promise<void> {
  const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  await client.unsafe("vacuum analyze");
  await client.end();
}

/** Serves one of the databases from this process. */
async function serve(url: string, nodes: readonly string[]) {
  const connection = await connectPostgres({ url, migrate: false });
  const server = createHttpServer(
    createApp({
      connection,
      config: parseConfig({ RATE_LIMIT_PER_MINUTE: "1000000000" }),
      publicUrl: () => "http://localhost",
      log: pino({ level: "silent" }),
      deadline: 60_000,
    }),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const clocks = nodes.map(createDatabaseClock);
  return {
    db: connection.db,
    port: (server.address() as AddressInfo).port,
    read: () => Promise.all(clocks.map((clock) => clock.read())),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await Promise.all([connection.close(), ...clocks.map((clock) => clock.close())]);
    },
  };
}

async function measure(key: string): Promise<void> {
  const sides = [
    { name: "one server", ...(await serve(databases.alone, [databases.alone])) },
    { name: "spread", ...(await serve(spreadUrl, databases.nodes)) },
  ];
  const [first] = sides;
  const ids =
    (await first?.db.select({ id: sql<string>`id` }).from(sql`meetings where id like '%/%' limit 200`)) ?? [];
  const routes: Record<string, readonly BenchRequest[]> = {
    list: [toRequest("/v1/me/meetings.list", { key })],
    get: ids.map(({ id }) => toRequest(`/v1/me/meetings.get${toInput({ meetingId: id })}`, { key })),
    search: readSplit(`${findSearchBenchmark()}/val`).queries.map(({ text }) =>
      toRequest(
        `/v1/me/meetings.search${toInput({ query: text, startDate: "2000-01-01", endDate: "2040-01-01" })}`,
        { key },
      ),
    ),
  };
  const meetings = readQmsumMeetings(SOURCE).map(({ input }) => MeetingImport.parse(input));
  const rows = [];
  for (const [route, requests] of [...Object.entries(routes), ["import", []] as const]) {
    const measured = sides.map((side) => ({ ...side, ms: [] as number[], cpu: [] as number[][] }));
    for (let round = 0; round <= Number(options.rounds); round++)
      for (const side of round % 2 ? measured : measured.toReversed()) {
        const before = await side.read();
        const { count, ms } =
          route === "import" ? await importSome(side.db, round) : await ask(side.port, requests);
        const after = await side.read();
        if (round === 0) continue; // warms up
        side.ms.push(ms);
        side.cpu.push(after.map((at, node) => (at - (before[node] ?? 0)) / count / 1_000));
      }
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const [one] = measured;
    for (const side of measured)
      rows.push({
        route,
        database: side.name,
        "median ms": round3(computeMedian(side.ms)),
        "× one server": round3(computeMedian(side.ms.map((ms, at) => ms / (one?.ms[at] ?? Number.NaN)))),
        "cpu ms by server": (side.cpu[0] ?? [])
          .map((_, node) => round3(computeMedian(side.cpu.map((cpu) => cpu[node] ?? 0))))
          .join(" + "),
        "× cpu": round3(computeMedian(side.cpu.map((cpu, at) => sum(cpu) / sum(one?.cpu[at] ?? [])))),
      });
  }
  console.table(rows);
  for (const side of sides) await side.close();

  async function importSome(db: (typeof sides)[number]["db"], round: number) {
    const count = Math.ceil(Number(options.imports) / Number(options.rounds));
    const times: number[] = [];
    for (let at = 0; at < count; at++) {
      const meeting = meetings[(round * count + at) % meetings.length] as (typeof meetings)[number];
      const began = performance.now();
      await importMeeting(db, { ...meeting, externalId: `round ${round}, ${at}` });
      times.push(performance.now() - began);
    }
    return { count, ms: computeMedian(times) };
  }
}

async function ask(port: number, requests: readonly BenchRequest[]) {
  const burst = await runBurst(port, requests, CONNECTIONS, Number(options.seconds) * 1_000);
  return { count: burst.requests, ms: computeQuantile(burst.latencies, 0.5) };
}

/** Prints each server's share of the distributed tables. */
async function showBytes(): Promise<void> {
  const client = postgres(spreadUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  console.table([
    ...(await client`select table_name::text as table, nodeport as server, count(*)::int as shards,
        round(sum(shard_size) / 1e6)::int as mb
      from citus_shards where citus_table_type = 'distributed' group by 1, 2 order by 1, 2`),
  ]);
  await client.end();
}

interface PlanNode {
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly PlanNode[];
  readonly "Distributed Query"?: {
    readonly Job: {
      readonly Tasks: readonly { Node: string; "Remote Plan": readonly (readonly { Plan: PlanNode }[])[] }[];
    };
  };
}

/** Prints, by EXPLAIN, the blocks read by each server for the postings of a third of the documents. */
async function showBlocks(): Promise<void> {
  const client = postgres(spreadUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  await client`set citus.explain_all_tasks = on`.simple();
  const documents = await client`select document from search_documents where document % 3 = 0`;
  const [row] = await client.unsafe(`explain (analyze, buffers, format json)
    select sum(chunks) from search_postings where term in ('design', 'price', 'remot')
      and document in (${documents.map(({ document }) => document).join(",")})`);
  await client.end();
  const blocks = new Map<string, { tasks: number; blocks: number }>();
  const visit = (node: PlanNode): void => {
    for (const task of node["Distributed Query"]?.Job.Tasks ?? []) {
      const name = /port=\d+/.exec(task.Node)?.[0] ?? task.Node;
      const plan = task["Remote Plan"][0]?.[0]?.Plan;
      const known = blocks.get(name) ?? { tasks: 0, blocks: 0 };
      const read = (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
      blocks.set(name, { tasks: known.tasks + 1, blocks: known.blocks + read });
    }
    for (const child of node.Plans ?? []) visit(child);
  };
  const text: unknown = row?.["QUERY PLAN"];
  const [plan] = (typeof text === "string" ? JSON.parse(text) : text) as { Plan: PlanNode }[];
  if (plan) visit(plan.Plan);
  console.table([...blocks].map(([server, counts]) => ({ server, ...counts })));
}
