/**
 * `pnpm bench:ingest`: how fast the 197 meetings of QMSum go into the embedded database on disk, with and without
 * search rows, and whether memory stays flat over several rounds of them. PostgreSQL too where one is named.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MeetingImport } from "@minutes/contract";
import { createUser, importMeeting, OPERATOR } from "@minutes/core";
import { type Connection, connectEmbedded, connectPostgres } from "@minutes/db";
import postgres from "postgres";
import { readQmsumMeetings } from "./dataset.js";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log("[SEARCHBENCH_DIR=…] [BENCH_DATABASE_URL=postgres://…] pnpm bench:ingest [--rounds 3]");
  process.exit(0);
}

const OWNER = "qmsum@example.com";
const meetings = readQmsumMeetings(OWNER).map(({ input }) => input);
const measureMegabytes = () => Math.round(process.memoryUsage().rss / 1024 / 1024);

/** Imports all meetings `rounds` times under new ids and prints what each round took. */
async function measure(name: string, { db }: Connection, searchRows: boolean): Promise<void> {
  await createUser(db, OPERATOR, { email: OWNER, name: "QMSum" });
  for (let round = 1; round <= Number(options.rounds); round++) {
    let worst = 0;
    const cpu = process.cpuUsage();
    const started = performance.now();
    for (const meeting of meetings) {
      const before = performance.now();
      const checked = MeetingImport.parse({ ...meeting, externalId: `${meeting.externalId}-${round}` });
      await importMeeting(db, checked, searchRows ? {} : { index: async () => {} });
      worst = Math.max(worst, performance.now() - before);
    }
    const seconds = (performance.now() - started) / 1000;
    const used = process.cpuUsage(cpu);
    console.log(
      [
        name,
        searchRows ? "with search rows" : "without search rows",
        `round ${round}`,
        `${(meetings.length / seconds).toFixed(1)} meetings/s`,
        `${((meetings.length * 1e6) / (used.user + used.system)).toFixed(1)} per second of processor time`,
        `worst ${worst.toFixed(0)} ms`,
        `${measureMegabytes()} MB`,
      ].join(" · "),
    );
  }
}

for (const searchRows of [false, true]) {
  const dataDir = await mkdtemp(join(tmpdir(), "minutes-bench-"));
  const connection = await connectEmbedded({ dataDir });
  await measure("embedded", connection, searchRows);
  await connection.close();
  await rm(dataDir, { recursive: true, force: true });
}

const serverUrl = process.env.BENCH_DATABASE_URL;
for (const searchRows of serverUrl ? [false, true] : []) {
  const server = postgres(serverUrl ?? "", { max: 1, onnotice: () => {} });
  await server.unsafe("DROP DATABASE IF EXISTS ingest_bench WITH (FORCE)");
  await server.unsafe("CREATE DATABASE ingest_bench");
  const url = new URL(serverUrl ?? "");
  url.pathname = "/ingest_bench";
  const connection = await connectPostgres({ url: url.href });
  await measure("postgres", connection, searchRows);
  await connection.close();
  await server.unsafe("DROP DATABASE ingest_bench WITH (FORCE)");
  await server.end();
}
