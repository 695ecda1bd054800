import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { purgeExpired } from "./purge-expired.js";

const { idempotencyKeys, sessions, signInAttempts } = schema;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test("expired rows of every table go in batches; what counts stays", async () => {
  const { db } = server;
  const { userId } = await server.given.person();
  await server.given.session({ userId });
  const many = sql`generate_series(1, 1200) n`;
  const hash = sql`sha256(n::text::bytea)`;
  await db.execute(sql`insert into sessions (id, user_id, kind, hash, expires_at)
    select 'ses_' || n, ${userId}, 'browser', ${hash}, now() - interval '1 second' from ${many}`);
  await db.execute(sql`insert into idempotency_keys (hash, user_id, fingerprint, claim, leased_until, expires_at)
    select ${hash}, ${userId}, ${hash}, 'c', now(), now() - make_interval(hours => n - 2) from ${many}`);
  await db.execute(sql`insert into sign_in_attempts (key, failures, blocked_until, last_at)
    values ('old', 1, now(), now() - interval '25 hours'), ('new', 1, now(), now())`);
  await db.execute(sql`create table purged (name text, rows int)`);
  await db.execute(sql`create function count_purged() returns trigger language plpgsql as
    $$ begin insert into purged select tg_table_name, count(*) from old_rows; return null; end $$`);
  // Null: an API key without an expiry. Expired ones stay listed. Audio ends by a job of its own, because a hold keeps it.
  const expiring = await db.select({ name: sql<string>`table_name` }).from(
    sql`information_schema.columns
      where table_schema = current_schema and column_name = 'expires_at' and is_nullable = 'NO'
        and table_name <> 'kept_audio' order by 1`,
  );
  for (const { name } of expiring)
    await db.execute(sql`create trigger count_purged after delete on ${sql.identifier(name)}
      referencing old table as old_rows for each statement execute function count_purged()`);

  await purgeExpired(db);
  expect((await db.select().from(sessions)).map(({ kind }) => kind)).toEqual(["token"]);
  expect(await db.$count(idempotencyKeys)).toBe(1);
  expect((await db.select().from(signInAttempts)).map(({ key }) => key)).toEqual(["new"]);
  const batches = await db.select({ name: sql<string>`name`, rows: sql<number>`rows` }).from(sql`purged`);
  expect([...new Set(batches.map(({ name }) => name))].sort()).toEqual(expiring.map(({ name }) => name));
  const sizes = (table: string) => batches.filter(({ name }) => name === table).map(({ rows }) => rows);
  expect([sizes("sessions"), sizes("idempotency_keys")]).toEqual([
    [1_000, 200],
    [1_000, 199],
  ]);
});
