import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { connectEmbedded, type Database, migratePostgres } from "@minutes/db";
import { countOutdated, reindexSome } from "@minutes/search";
import { createTestDatabase, onPostgres, openTestApi, type TestApi } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { visibleTo } from "../access/index.js";
import { searchMeetings } from "./search.js";

const { resolve } = createRequire(import.meta.url);
/** The first migration missing in the old database. */
const NEW = "0003_search";
/** The tables of a meeting, ordered by their references. */
const TABLES = [
  "users",
  "workspaces",
  "members",
  "recordings",
  "meetings",
  "participants",
  "transcript_segments",
];

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

/** Migrates an empty database to the schema before `NEW`, as the version of that time did. */
async function migrateToOld(db: Database): Promise<void> {
  const { entries } = JSON.parse(
    await readFile(resolve("@minutes/db/migrations/meta/_journal.json"), "utf8"),
  ) as {
    entries: { tag: string; when: number }[];
  };
  await db.execute(sql`create schema if not exists drizzle`);
  await db.execute(
    sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`,
  );
  for (const { tag, when } of entries.slice(
    0,
    entries.findIndex((entry) => entry.tag === NEW),
  )) {
    const text = await readFile(resolve(`@minutes/db/migrations/${tag}.sql`), "utf8");
    for (const statement of text.split("--> statement-breakpoint")) await db.execute(sql.raw(statement));
    await db.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${tag}, ${when})`,
    );
  }
}

/** Creates a database without a schema, and a function that migrates it. */
async function emptyDatabase(): Promise<{
  db: Database;
  upgrade(): Promise<Database>;
  close(): Promise<void>;
}> {
  if (!onPostgres) {
    const old = await connectEmbedded({ migrate: false });
    let current: Awaited<ReturnType<typeof connectEmbedded>> | undefined;
    return {
      db: old.db,
      upgrade: async () => {
        current = await connectEmbedded({ from: await old.client.dumpDataDir("none") });
        return current.db;
      },
      close: async () => {
        await old.close();
        await current?.close();
      },
    };
  }
  const database = await createTestDatabase();
  const { db } = database;
  await db.execute(sql`drop schema public cascade`);
  await db.execute(sql`drop schema drizzle cascade`);
  await db.execute(sql`create schema public`);
  return {
    db,
    upgrade: async () => {
      await migratePostgres(database.url ?? "");
      return db;
    },
    close: () => database.close(),
  };
}

test("200: meetings of the previous version are kept, and found after reindexing", async () => {
  const anna = await api.given.person();
  for (const animal of ["wombat", "quokka"])
    await api.given.meeting(anna, {
      transcript: [{ speakerId: "s1", speakerName: "Anna", text: `A ${animal} needs a fence.` }],
    });
  const old = await emptyDatabase();
  try {
    await migrateToOld(old.db);
    for (const table of TABLES) {
      const name = sql.identifier(table);
      const [rows] = await api.db.select({ all: sql<string>`json_agg(t)::text` }).from(sql`${name} t`);
      await old.db.execute(
        sql`insert into ${name} select * from json_populate_recordset(null::${name}, ${rows?.all}::json)`,
      );
    }
    await old.db.execute(sql`insert into search_chunks (meeting_id, position, text, words)
      select id, 0, 'A chunk of the former version', to_tsvector('former version') from meetings`);

    const db = await old.upgrade();
    const search = async (query: string) => (await searchMeetings(db, visibleTo(anna), { query })).results;
    expect(await search("wombat")).toEqual([]);
    expect(await countOutdated(db)).toBe(2);
    while ((await reindexSome(db, 1)) > 0);
    expect((await search("wombat")).map(({ text }) => text)).toEqual(["Anna: A wombat needs a fence."]);
    expect(await search("fence")).toHaveLength(2);
    expect(await search("former")).toEqual([]);

    // Data that is in no column of the schema.
    const [made] = await db
      .select({
        triggers: sql<number>`count(*)::int`,
        storage: sql<string>`(select string_agg(attstorage::text, '' order by attname) from pg_attribute
          where attrelid = 'search_postings'::regclass and attname in ('weights', 'places'))`,
        options: sql<string>`(select reloptions::text from pg_class where relname = 'search_postings')`,
        language: sql<string>`(select language from search_settings)`,
      })
      .from(sql`pg_trigger where not tgisinternal and tgrelid in ('meetings'::regclass, 'search_documents'::regclass)
        and tgname ~ '^(learning|postings)_'`);
    expect(made).toEqual({
      triggers: 1,
      storage: "mm",
      options: "{toast_tuple_target=8160}",
      language: "english",
    });
  } finally {
    await old.close();
  }
});
