import { createTestDatabase, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "./database.js";
import { Deadline, endWith } from "./deadline.js";
import { runNamedStatement } from "./statement.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const rename = (db: Database, name: string) => {
  const update = () => sql`update workspaces set name = ${sql.placeholder("name")} returning name`;
  return runNamedStatement<{ name: string }>(db, "rename_workspaces", update, { name });
};
const read = (db: Database) =>
  runNamedStatement<{ name: string }>(db, "read_names", () => sql`select name from workspaces`, {});

test("a named statement of a transaction is undone with it, also under a deadline", async () => {
  const { db } = database;
  await db.execute(sql`insert into workspaces (id, name, plan) values ('ws_1', 'before', 'free')`);
  for (const place of [db, endWith(new Deadline(60_000, () => new Error("late")), db)]) {
    const undone = place.transaction(async (tx) => {
      expect(await rename(tx, "during")).toEqual([{ name: "during" }]);
      expect(await read(tx)).toEqual([{ name: "during" }]);
      throw new Error("undo");
    });
    await expect(undone).rejects.toThrow("undo");
    expect(await read(db)).toEqual([{ name: "before" }]);
  }
});
