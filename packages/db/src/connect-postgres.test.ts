import { connectPostgres, runNamedStatement } from "@minutes/db";
import { createTestDatabase, needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

test("times and bytes parse the same whatever styles the database prefers", needs("postgres"), async () => {
  const database = await createTestDatabase();
  const name = sql.identifier(new URL(database.url ?? "").pathname.slice(1));
  await database.db.execute(sql`alter database ${name} set datestyle = 'SQL, DMY'`);
  await database.db.execute(sql`alter database ${name} set bytea_output = 'escape'`);
  const { db } = await database.connect();
  const values = () => sql`select timestamptz '2026-02-03 04:05:06.7Z' as time, '\\xff00'::bytea as bytes`;
  const [row] = await runNamedStatement<{ time: string; bytes: Uint8Array }>(db, "styles", values, {});
  expect(row?.time).toBe("2026-02-03T04:05:06.700Z");
  expect([...(row?.bytes ?? [])]).toEqual([255, 0]);
  await database.close();
});

test("sessions have one name, and no timeout unless one is asked for", needs("postgres"), async () => {
  const database = await createTestDatabase();
  const url = `${database.url}?application_name=other`;
  await database.db.execute(
    sql.raw(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = '1min'`),
  );
  const { db, close } = await connectPostgres({ url, migrate: false, poolSize: 1 });
  const settings = sql`select current_setting('application_name') as name, current_setting('statement_timeout') as timeout`;
  expect(await db.execute(settings)).toEqual([{ name: "minutes", timeout: "0" }]);
  await close();
  await database.close();
});

test(
  "background work has a longer statement timeout than calls, and connections of its own",
  needs("postgres"),
  async () => {
    const database = await createTestDatabase();
    const { db, background } = await database.connect({ poolSize: 1, statementTimeout: 30_000 });
    const timeout = sql`select current_setting('statement_timeout') as timeout`;
    expect(await background.execute(timeout)).toEqual([{ timeout: "1min" }]);
    await db.transaction(async (tx) => {
      expect(await tx.execute(timeout)).toEqual([{ timeout: "30s" }]);
      // The only connection of calls is taken.
      await background.transaction((other) => other.execute(timeout));
    });
    await database.close();
  },
);
