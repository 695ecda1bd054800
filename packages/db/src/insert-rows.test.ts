import { createTestDatabase, type TestDatabase } from "@minutes/testing";
import { inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertRows } from "./insert-rows.js";
import { users } from "./schema/index.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test("a SQL value of the first row is evaluated for all rows", async () => {
  await insertRows(database.db, users, ["a", "b"], (id) => ({
    id,
    email: `${id}@example.com`,
    name: sql`upper('anna')`,
  }));
  const stored = await database.db
    .select({ id: users.id, name: users.name })
    .from(users)
    .where(inArray(users.id, ["a", "b"]))
    .orderBy(users.id);
  expect(stored).toEqual([
    { id: "a", name: "ANNA" },
    { id: "b", name: "ANNA" },
  ]);
});

test("on conflict, rows are skipped if asked for; otherwise the insert fails", async () => {
  const toRow = (id: string) => ({ id, email: `${id}@example.org`, name: "Boris" });
  await insertRows(database.db, users, ["c", "d"], toRow);
  await insertRows(database.db, users, ["d", "e"], toRow, "nothing");
  const stored = await database.db.select({ id: users.id }).from(users).orderBy(users.id);
  expect(stored.map(({ id }) => id)).toEqual(expect.arrayContaining(["c", "d", "e"]));
  await expect(insertRows(database.db, users, ["e", "f"], toRow)).rejects.toThrow();
});

test("a long text is stored alone, as it is", async () => {
  const names = ["short", `"\\{}, null\n`.repeat(30_000), "after"];
  await insertRows(database.db, users, names, (name, at) => ({
    id: `long-${at}`,
    email: `long-${at}@example.net`,
    name,
  }));
  const stored = await database.db
    .select({ name: users.name })
    .from(users)
    .where(sql`${users.id} like 'long-%'`)
    .orderBy(users.id);
  expect(stored.map(({ name }) => name)).toEqual(names);
});
