/**
 * `pnpm bench:ingest`: import speed of the 197 QMSum meetings into the embedded database on disk, and
 * memory over several rounds. Also on PostgreSQL if configured.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { MeetingImport } from "@minutes/contract";
import { createUser, importMeeting, OPERATOR } from "@minutes/core";
import { type Connection, connectEmbedded, connectPostgres } from "@minutes/db";
import postgres from "postgres";
import { createDatabaseClock } from "../requests/database-cpu.js";
import { readQmsumMeetings } from "./dataset.js";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    meetings: { type: "string", default: "197" },
    callers: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(`[SEARCHBENCH_DIR=…] [BENCH_DATABASE_URL=postgres://…] pnpm bench:ingest [options]
  --rounds 3
  --meetings 197           the first so many
  --callers 1              imports that are under way at once
  --only postgres          one engine; also "embedded"`);
  process.exit(0);
}

const OWNER = "qmsum@example.com";
const meetings = readQmsumMeetings(OWNER)
  .slice(0, Number(options.meetings))
  .map(({ input }) => input);
const measureMegabytes = () => Math.round(process.memoryUsage().rss / 1024 / 1024);

/**
 * Imports all meetings `rounds` times with new ids and prints the figures of each round.
 * @param readDatabaseTime reads the CPU time of the database's connections, in microseconds
 */
async function measure(
  name: string,
  { db }: Connection,
  readDatabaseTime: () => Promise<number> = async () => 0,
): Promise<void> {
  await createUser(db, OPERATOR, { email: OWNER, name: "QMSum" });
  for (let round = 1; round <= Number(options.rounds); round++) {
    let longest = 0;
    const waiting = meetings.values();
    const importAll = async () => {
      for (const meeting of waiting) {
        const before = performance.now();
        const checked = MeetingImport.parse({ ...meeting, externalId: `${meeting.externalId}-${round}` });
        await importMeeting(db, checked);
        longest = Math.max(longest, performance.now() - before);
      }
    };
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const databaseBefore = await readDatabaseTime();
    const cpu = process.cpuUsage();
    const started = performance.now();
    await Promise.all(Array.from({ length: Number(options.callers) }, importAll));
    const seconds = (performance.now() - started) / 1000;
    const used = process.cpuUsage(cpu);
    const database = (await readDatabaseTime()) - databaseBefore;
    delay.disable();
    const toMilliseconds = (microseconds: number) => (microseconds / 1000 / meetings.length).toFixed(1);
    console.log(
      [
        name,
        `round ${round}`,
        `${(meetings.length / seconds).toFixed(1)} meetings/s`,
        `processor ms a meeting: ${toMilliseconds(used.user + used.system)} Node, ${toMilliseconds(database)} PostgreSQL`,
        `longest ${longest.toFixed(0)} ms`,
        `event loop held ${(delay.max / 1e6).toFixed(0)} ms`,
        `${measureMegabytes()} MB`,
      ].join(" · "),
    );
  }
}

const isWanted = (name: string) => name.startsWith(options.only);

if (isWanted("embedded")) {
  const dataDir = await mkdtemp(join(tmpdir(), "minutes-bench-"));
  const connection = await connectEmbedded({ dataDir });
  await measure("embedded", connection);
  await connection.close();
  await rm(dataDir, { recursive: true, force: true });
}

const serverUrl = process.env.BENCH_DATABASE_URL;
if (serverUrl && isWanted("postgres")) {
  const server = postgres(serverUrl, { max: 1, onnotice: () => {} });
  await server.unsafe("DROP DATABASE IF EXISTS ingest_bench WITH (FORCE)");
  await server.unsafe("CREATE DATABASE ingest_bench");
  const url = Object.assign(new URL(serverUrl), { pathname: "/ingest_bench" }).href;
  const connection = await connectPostgres({ url });
  const clock = createDatabaseClock(url);
  await measure("postgres", connection, clock.read);
  await clock.close();
  await connection.close();
  await server.unsafe("DROP DATABASE ingest_bench WITH (FORCE)");
  await server.end();
}
