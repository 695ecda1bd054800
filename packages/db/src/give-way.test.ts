import { createTestDatabase, needs, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "./connection.js";
import { giveWayToCalls } from "./give-way.js";

let database: TestDatabase;
/** Changes tables, in a session of its own. */
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

describe("a change of two tables", needs("postgres"), () => {
  test("gives way to a call that holds one and waits for the other, and is made after it", async () => {
    await database.db.execute(sql`create table first ()`);
    await database.db.execute(sql`create table second ()`);
    let tries = 0;
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
      change = giveWayToCalls(changing.db, work, 60_000);
      await held;
      await call.execute(lock("first", "access share"));
    });
    await change;
    expect(tries).toBeGreaterThan(1);
  });

  test("fails when a call keeps a table beyond the time limit, and leaves no limit in the session", async () => {
    const work = () =>
      changing.db.transaction(async (tx) => {
        await tx.execute(lock("first", "access exclusive"));
      });
    await database.db.transaction(async (call) => {
      await call.execute(lock("first", "access share"));
      await expect(giveWayToCalls(changing.db, work, 0)).rejects.toMatchObject({ cause: { code: "55P03" } });
    });
    await giveWayToCalls(changing.db, work, 0);
    const [row] = await changing.db
      .select({ limit: sql<string>`current_setting('lock_timeout')` })
      .from(sql`(values (1)) one`);
    expect(row?.limit).toBe("0");
  });
});
