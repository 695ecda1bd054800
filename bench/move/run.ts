/**
 * `pnpm bench:move`: moves an installation to PostgreSQL and back, and prints time, size and memory of both. Requires
 * an empty database, which is filled. Linux only: memory is read from /proc.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MeetingImport } from "@minutes/contract";
import { createUser, importMeeting, OPERATOR } from "@minutes/core";
import { connectEmbedded, type Database } from "@minutes/db";
import { sql } from "drizzle-orm";
import { createTemporaryDatabase } from "../search/service.js";

const { values: options } = parseArgs({
  options: { meetings: { type: "string", default: "10000" }, help: { type: "boolean", default: false } },
});
const url = process.env.BENCH_DATABASE_URL;
if (options.help || !url) {
  console.log("BENCH_DATABASE_URL=postgres://… pnpm bench:move [--meetings 10000]");
  process.exit(options.help ? 0 : 2);
}

const MINUTES = fileURLToPath(new URL("../../apps/server/bin/minutes.js", import.meta.url));
const EMAIL = "ines@example.com";
/** Number of imported meetings; the others are copies of their rows. */
const ORIGINALS = 50;
/** Turns per meeting. */
const TURNS = 60;
const WORDS =
  "turbine supplier budget release planning customer contract delay meeting server quota answer".split(" ");

const word = (number: number) => WORDS[(number * 7919) % WORDS.length];

/** Imports the originals. */
async function importOriginals(db: Database): Promise<void> {
  await createUser(db, OPERATOR, { email: EMAIL, name: "Ines" });
  for (let number = 0; number < ORIGINALS; number++) {
    const transcript = Array.from({ length: TURNS }, (_, turn) => ({
      speakerId: String(turn % 3),
      speakerName: `Speaker ${turn % 3}`,
      text: Array.from({ length: 14 }, (_, at) => word(number + turn * 31 + at)).join(" "),
    }));
    const startTime = new Date(1_750_000_000_000 + number * 60_000).toISOString();
    const tasks = [{ text: `Ask for the ${word(number)}` }, { text: "Write it down" }];
    const meeting = { externalId: `m-${number}`, ownerEmail: EMAIL, title: `Meeting ${number}`, startTime };
    await importMeeting(
      db,
      MeetingImport.parse({
        ...meeting,
        transcript,
        tasks,
        summary: { markdown: "# Notes", short: "Notes" },
      }),
    );
  }
}

/** Copies the rows of the originals with new ids. */
async function copyOriginals(db: Database, copies: number): Promise<void> {
  const of = (table: string, columns: string, values: string, id: string) =>
    db.execute(
      sql.raw(
        `insert into ${table} (${columns}) select ${values} from ${table} t, generate_series(1, ${copies}) n where t.${id} not like '%-%'`,
      ),
    );
  const id = (column: string) => `t.${column} || '-' || n`;
  await of(
    "recordings",
    "id, workspace_id, external_id, state",
    `${id("id")}, t.workspace_id, ${id("external_id")}, t.state`,
    "id",
  );
  await of(
    "meetings",
    "id, user_id, workspace_id, title, start_time",
    `${id("id")}, t.user_id, t.workspace_id, t.title, t.start_time + n * interval '1 hour'`,
    "id",
  );
  const ofMeeting = (table: string, columns: string) =>
    of(
      table,
      `meeting_id, ${columns}`,
      `${id("meeting_id")}, ${columns.replace(/(\w+)/g, "t.$1")}`,
      "meeting_id",
    );
  await ofMeeting("summaries", "markdown, html, short");
  await ofMeeting("participants", "id, position, name, email");
  await ofMeeting("transcript_segments", "position, speaker_id, text");
  await ofMeeting("search_chunks", "position, text, first_turn, last_turn");
  await ofMeeting("search_documents", "first_chunk, chunks, language, version");
  await of(
    "tasks",
    "id, meeting_id, user_id, workspace_id, position, text, created_at",
    `${id("id")}, ${id("meeting_id")}, t.user_id, t.workspace_id, t.position, t.text, t.created_at`,
    "meeting_id",
  );
  for (const [table, columns] of [
    ["search_postings", "term, chunks, best, first, weights, places"],
    ["search_speakers", "speaker, name, first, shares"],
  ] as const)
    await db.execute(
      sql.raw(`insert into ${table} (document, ${columns})
        select d.document, ${columns.replace(/(\w+)/g, "t.$1")} from ${table} t
        join search_documents o on o.document = t.document and o.meeting_id not like '%-%'
        join search_documents d on d.meeting_id like o.meeting_id || '-%' and d.first_chunk = o.first_chunk`),
    );
}

/** Runs `minutes move` and returns its duration in seconds and its maximum memory in MB. */
async function move(settings: Record<string, string>, to: string) {
  const began = performance.now();
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MINUTES, "move", "--to", to, "--json"], {
    env: { PATH, HOME, ...settings } as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  let peak = 0;
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  }, 100);
  const [code] = await once(child, "close");
  clearInterval(watch);
  const { equal, tables } = JSON.parse(output) as { equal: boolean; tables: { source: { rows: number } }[] };
  const rows = tables.reduce((sum, { source }) => sum + source.rows, 0);
  return {
    code,
    equal,
    rows,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    megabytes: Math.round(peak),
  };
}

const folder = await mkdtemp(join(tmpdir(), "minutes-bench-move-"));
const database = await createTemporaryDatabase(url);
try {
  const dataDir = join(folder, "data");
  const connection = await connectEmbedded({ dataDir });
  await importOriginals(connection.db);
  await copyOriginals(connection.db, Math.ceil(Number(options.meetings) / ORIGINALS) - 1);
  await connection.close();
  console.log(`${options.meetings} meetings of ${TURNS} turns`);
  console.log("to PostgreSQL", await move({ DATA_DIR: dataDir }, database.url));
  console.log("back", await move({ DATABASE_URL: database.url }, join(folder, "again")));
} finally {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
}
