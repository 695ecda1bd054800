import { distributeDatabase, ExplainedError, migratePostgres, readLayout } from "@minutes/db";
import { startTestServer } from "@minutes/server/testing";
import { createTestDatabase, type TestDatabase, toDatabaseUrl, waitFor } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DISTRIBUTED_TABLES } from "./tables.js";

const ALL = DISTRIBUTED_TABLES.map(({ name }) => name);

let database: TestDatabase;
let server: Awaited<ReturnType<typeof startTestServer>>;
let url: string;
beforeAll(async () => {
  database = await createTestDatabase();
  url = database.url ?? "";
  server = await startTestServer({ database });
});
afterAll(async () => {
  await server.close();
  await database.close();
});

/** Describes the columns, indexes and options of the distributed tables. */
async function describeTables(): Promise<string> {
  const names = sql.raw(ALL.map((name) => `'${name}'`).join());
  const [row] = await database.db
    .select({
      all: sql<string>`string_agg(part, e'\n' order by part)`,
    })
    .from(
      sql`(
        select c.relname || ' ' || coalesce(c.reloptions::text, '') from pg_class c where c.relname in (${names})
        union all
        select a.attrelid::regclass::text || ' ' || a.attname || format_type(a.atttypid, a.atttypmod) || a.attnotnull::text || a.attstorage::text
          || a.attcollation::regcollation::text
        from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relname in (${names}) and a.attnum > 0 and not a.attisdropped
        union all select indexdef from pg_indexes where tablename in (${names})
        union all select conname || pg_get_constraintdef(oid) from pg_constraint where conrelid::regclass::text in (${names})
      ) p (part)`,
    );
  return row?.all ?? "";
}

test("undistributing and distributing tables again leaves answers unchanged", async () => {
  const anna = await server.given.person();
  const words = "The release moves to Thursday, and the budget follows.";
  const { meetingId } = await server.given.meeting(anna, {
    transcript: Array.from({ length: 30 }, (_, at) => ({
      speakerId: `a${at % 3}`,
      speakerName: `Anna ${at % 3}`,
      text: words,
    })),
  });
  const look = async () => ({
    detail: await server.data(anna.key, "me/meetings.get", { meetingId }),
    found: await server.data(anna.key, "me/meetings.search", { query: "budget on Thursday" }),
    tables: await describeTables(),
  });
  const before = await look();
  expect(JSON.stringify(before.found)).toContain(words);

  expect(await distributeDatabase(url, { undo: true })).toEqual(ALL);
  expect(await readLayout(database.db)).toBeNull();
  expect(await look()).toEqual(before);
  expect(await distributeDatabase(url, { undo: true })).toEqual([]);

  // Interrupts after two tables.
  let begun = 0;
  const interrupted = distributeDatabase(url, {
    shards: 4,
    onTable: () => {
      if (++begun === 3) throw new Error("interrupted");
    },
  });
  await expect(interrupted).rejects.toThrow("interrupted");
  expect((await readLayout(database.db))?.undistributed).toEqual(ALL.slice(2));
  expect(await look()).toEqual(before);

  expect(await distributeDatabase(url, { shards: 4 })).toEqual(ALL.slice(2));
  expect(await look()).toEqual(before);
  const layout = await readLayout(database.db);
  expect(layout?.undistributed).toEqual([]);
  expect(layout?.idle).toBe(0);
  expect(layout?.moves.shards).toBe(0);
  expect(new Set(layout?.shares.map(({ node }) => node)).size).toBeGreaterThan(1);
  for (const { name } of DISTRIBUTED_TABLES) {
    const [left] = await database.db
      .select({ bytes: sql<number>`pg_relation_size(${name}::text::regclass)::int` })
      .from(sql`(values (1)) one`);
    expect([name, left?.bytes]).toEqual([name, 0]);
  }

  // A start migrates again; a meeting's rows are deleted with it.
  await migratePostgres(url);
  expect(await look()).toEqual(before);
  await server.data(anna.key, "me/meetings.delete", { meetingId });
  for (const { name } of DISTRIBUTED_TABLES) {
    const [left] = await database.db
      .select({ rows: sql<number>`count(*)::int` })
      .from(sql`${sql.identifier(name)}`);
    expect([name, left?.rows]).toEqual([name, 0]);
  }
});

test("tables get a shard per worker, and another number by request, with the same answers", async () => {
  const dora = await server.given.person();
  await server.given.meeting(dora, {
    transcript: Array.from({ length: 30 }, (_, at) => ({
      speakerId: "d",
      speakerName: "Dora",
      text: `The ferry leaves at ${at}.`,
    })),
  });
  const look = async () => ({
    found: await server.data(dora.key, "me/meetings.search", { query: "when does the ferry leave" }),
    tables: await describeTables(),
  });
  const countShards = async () => {
    const layout = await readLayout(database.db);
    return Object.fromEntries(
      ALL.map((name) => [
        name,
        layout?.shares.flatMap(({ table, shards }) => (table === name ? shards : [])).toSorted(),
      ]),
    );
  };
  const all = (shards: readonly number[]) => Object.fromEntries(ALL.map((name) => [name, shards]));
  await distributeDatabase(url, { undo: true });
  const before = await look();
  expect(JSON.stringify(before.found)).toContain("ferry");

  expect(await distributeDatabase(url)).toEqual(ALL);
  expect(await countShards()).toEqual(all([1, 1]));
  expect(await look()).toEqual(before);

  const copied = await distributeDatabase(url, { shards: 6 });
  expect(copied).toHaveLength(new Set(DISTRIBUTED_TABLES.map(({ column }) => column)).size);
  expect(await countShards()).toEqual(all([3, 3]));
  expect(await look()).toEqual(before);
  expect(await distributeDatabase(url, { shards: 6 })).toEqual([]);
  expect(await distributeDatabase(url)).toEqual([]);

  await distributeDatabase(url, { shards: 1 });
  expect((await readLayout(database.db))?.idle).toBe(1);
  expect(await look()).toEqual(before);
});

test("a start replaces the functions of an older release on distributed tables", async () => {
  await distributeDatabase(url, { shards: 4 });
  const ben = await server.given.person();
  await server.given.meeting(ben, {
    transcript: [{ speakerId: "b", speakerName: "Ben", text: "The orchard needs a new fence." }],
  });
  const search = () => server.data(ben.key, "me/meetings.search", { query: "fence" });
  const before = await search();
  expect(JSON.stringify(before)).toContain("orchard");
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`select set_config('citus.enable_ddl_propagation', 'off', true)`);
    await tx.execute(sql`create or replace function find_chunks(meetings text[], positions integer[])
      returns table (nth bigint, text text, first_turn integer, last_turn integer)
      language plpgsql volatile as $$ begin return; end $$`);
  });
  expect(await search()).not.toEqual(before);

  await migratePostgres(url);
  expect(await search()).toEqual(before);
});

/** Waits until a session waits for a lock on transcripts. */
const waitForLock = () =>
  waitFor(async () => {
    const [row] = await database.db.select({ waiting: sql<number>`count(*)::int` }).from(
      // Copies of a template have the same relation IDs.
      sql`pg_locks where not granted and relation = 'transcript_segments'::regclass
          and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(row?.waiting).toBeGreaterThan(0);
  });
const readTranscripts = sql`select count(*) from transcript_segments`;
const writeTranscripts = sql`delete from transcript_segments where meeting_id = 'none'`;

test("a call that writes to a table delays its distribution, but no other call", async () => {
  await distributeDatabase(url, { undo: true });
  let moving: Promise<string[]> | undefined;
  const notes: string[] = [];
  await database.db.transaction(async (call) => {
    await call.execute(writeTranscripts);
    moving = distributeDatabase(url, { shards: 4, onWait: (note) => notes.push(note) });
    await waitForLock();
    await database.db.execute(writeTranscripts);
    await waitFor(() => expect(notes).toEqual([expect.stringMatching(/^Other sessions use the tables/)]));
  });
  expect(await moving).toEqual(ALL);
});

test("a call that reads a table delays its return, but no other call", async () => {
  let moving: Promise<string[]> | undefined;
  await database.db.transaction(async (call) => {
    await call.execute(readTranscripts);
    moving = distributeDatabase(url, { undo: true });
    await waitForLock();
    await database.db.execute(readTranscripts);
  });
  expect(await moving).toEqual(ALL);
  expect(await distributeDatabase(url, { shards: 4 })).toEqual(ALL);
});

test("a migration changes a distributed table on all workers and adds local tables", async () => {
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`alter table search_chunks add column note text`);
    await tx.execute(sql`create index chunks_by_note on search_chunks (note)`);
    await tx.execute(sql`create table later (id text primary key, meeting_id text references meetings (id))`);
    await tx.execute(
      sql`insert into search_chunks (meeting_id, position, text, note) values ('m', 0, 't', 'n')`,
    );
  });
  const [row] = await database.db
    .select({ note: sql<string>`note` })
    .from(sql`search_chunks where note = 'n'`);
  expect(row?.note).toBe("n");
});

test("without a cluster, on a worker, and without workers the error says what to do", async () => {
  const [worker] = await database.db
    .select({ host: sql<string>`node_name`, port: sql<number>`node_port` })
    .from(sql`citus_get_active_worker_nodes()`);
  const onWorker = new URL(url);
  onWorker.hostname = worker?.host ?? "";
  onWorker.port = String(worker?.port);
  await expect(distributeDatabase(onWorker.href)).rejects.toThrow(ExplainedError);
  await expect(distributeDatabase(onWorker.href)).rejects.toThrow("a worker");
  await expect(distributeDatabase(toDatabaseUrl(url, "template1"))).rejects.toThrow("not enabled");
});
