import { createTestDatabase, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SQL_FUNCTIONS } from "./sql-functions.js";
import { DISTRIBUTED_TABLES, TABLE_LAYOUT } from "./tables.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const select = (names: string) =>
  sql`select coalesce(json_agg(name order by name), '[]')::text as names from (${sql.raw(names)}) n (name)`;
async function list(names: string): Promise<string[]> {
  const [row] = await database.db.select({ names: sql<string>`names` }).from(sql`(${select(names)}) l`);
  return JSON.parse(row?.names ?? "[]");
}

test("the layout has a placement for each table and lists no other tables", async () => {
  const tables = await list(
    "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  expect(Object.keys(TABLE_LAYOUT).sort()).toEqual(tables);
});

test("distributed tables have no foreign keys and no triggers", async () => {
  const distributed = DISTRIBUTED_TABLES.map(({ name }) => `'${name}'::regclass`).join();
  expect(
    await list(
      `select conname from pg_constraint where contype = 'f' and (conrelid in (${distributed}) or confrelid in (${distributed}))`,
    ),
  ).toEqual([]);
  expect(
    await list(`select tgname from pg_trigger where tgrelid in (${distributed}) and not tgisinternal`),
  ).toEqual([]);
});

test("a distributed table's primary key includes its distribution column", async () => {
  for (const { name, column } of DISTRIBUTED_TABLES) {
    const key = `select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indisunique and i.indrelid = '${name}'::regclass`;
    expect(await list(key)).toContain(column);
  }
});

test("each distributed table is read through a function", () => {
  expect([...new Set(SQL_FUNCTIONS.map(({ table }) => table))].sort()).toEqual(
    DISTRIBUTED_TABLES.map(({ name }) => name).sort(),
  );
});
