/**
 * `pnpm bench:bytes`: imports the 197 real meetings of the public search benchmark into a new database, and prints a
 * meeting's size in each table, with indexes. Vectors are not created.
 */

import { MeetingImport } from "@minutes/contract";
import { createUser, importMeeting, OPERATOR, setPlan } from "@minutes/core";
import { connectPostgres } from "@minutes/db";
import { sql } from "drizzle-orm";
import { readQmsumMeetings } from "../ingest/dataset.js";
import { createTemporaryDatabase } from "../search/service.js";

const EMAIL = "bytes@bench.example";
const url = process.env.BENCH_DATABASE_URL;
if (!url) {
  console.log("BENCH_DATABASE_URL=postgres://… pnpm bench:bytes");
  process.exit(2);
}
const database = await createTemporaryDatabase(url);
const connection = await connectPostgres({ url: database.url });
const { db } = connection;
try {
  const { workspaceId } = await createUser(db, OPERATOR, { email: EMAIL, name: "Bytes" });
  await setPlan(db, OPERATOR, workspaceId, "team");
  const empty = await readSizes();
  const meetings = readQmsumMeetings(EMAIL);
  for (const { input } of meetings) await importMeeting(db, MeetingImport.parse(input));
  const counted = await count();
  await db.execute(sql`vacuum full`);
  const full = await readSizes();
  const perMeeting = (bytes: number) => Math.round(bytes / meetings.length);
  const rows = [...full]
    .map(([table, size]) => ({ table, bytes: perMeeting(size - (empty.get(table) ?? 0)) }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((one, other) => other.bytes - one.bytes);
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  console.table([...rows, { table: "all", bytes: total }]);
  const { words = 0, chunks = 0 } = counted ?? {};
  console.log(
    `${meetings.length} meetings, ${perMeeting(words)} words and ${perMeeting(chunks)} chunks each`,
  );
} finally {
  await connection.close();
  await database.drop();
}

/** Counts the words of all transcripts, and the chunks of search. */
async function count(): Promise<{ words: number; chunks: number } | undefined> {
  const [counted] = await db
    .select({
      words: sql<number>`sum(array_length(string_to_array(text, ' '), 1))::int`,
      chunks: sql<number>`(select count(*)::int from search_chunks)`,
    })
    .from(sql`transcript_segments`);
  return counted;
}

/** Reads the size of each table in bytes, with its indexes and TOAST data. */
async function readSizes(): Promise<Map<string, number>> {
  const tables = await db
    .select({ name: sql<string>`relname`, size: sql<string>`pg_total_relation_size(oid)::text` })
    .from(sql`pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`);
  return new Map(tables.map(({ name, size }) => [name, Number(size)]));
}
