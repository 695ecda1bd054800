import { createTestDatabase, needs, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "./database.js";
import { retryOnLockTimeout } from "./retry-on-lock-timeout.js";

let database: TestDatabase;
/** A session that changes tables. */
let changing: Connection;
beforeAll(async () => {
  database = await createTestDatabase();
  changing = await database.connect({ poolSize: 1 });
});
afterAll(async () => {
  await changing?.close();
  await database?.close();
});

const lock = (table: "first" | "second", mode: string) => sql.raw(`lock table ${table} in ${mode} mode`);

describe("a schema change of two tables", needs("postgres"), () => {
  test("yields to a call that holds one and waits for the other, and succeeds after it", async () => {
    await database.db.execute(sql`create table first ()`);
    await database.db.execute(sql`create table second ()`);
    let tries = 0;
    const notes: string[] = [];
    let change: Promise<void> | undefined;
    await database.db.transaction(async (call) => {
      await call.execute(lock("second", "access share"));
      let holdsFirst = () => {};
      const held = new Promise<void>((resolve) => {
        holdsFirst = resolve;
      });
      const work = () =>
        changing.db.transaction(async (tx) => {
          tries += 1;
          await tx.execute(lock("first", "access exclusive"));
          holdsFirst();
          await tx.execute(lock("second", "access exclusive"));
        });
      change = retryOnLockTimeout(changing.db, work, 60_000, (note) => notes.push(note));
      await held;
      await call.execute(lock("first", "access share"));
    });
    await change;
    expect(tries).toBeGreaterThan(1);
    expect(notes).toEqual([expect.stringMatching(/^Other sessions use the tables/)]);
  });

  test("fails if a call keeps a table beyond the timeout, and leaves no timeout in the session", async () => {
    const work = () =>
      changing.db.transaction(async (tx) => {
        await tx.execute(lock("first", "access exclusive"));
      });
    await database.db.transaction(async (call) => {
      await call.execute(lock("first", "access share"));
      await expect(retryOnLockTimeout(changing.db, work, 0)).rejects.toThrow(
        /^Other sessions have kept using a table/,
      );
    });
    await retryOnLockTimeout(changing.db, work, 0);
    const [row] = await changing.db
      .select({ limit: sql<string>`current_setting('lock_timeout')` })
      .from(sql`(values (1)) one`);
    expect(row?.limit).toBe("0");
  });
});
