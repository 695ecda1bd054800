import { readFile } from "node:fs/promises";
import { connectEmbedded, connectPostgres, hasSchema, migratePostgres, SchemaNewerError } from "@minutes/db";
import { createTestDatabase, needs, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Makes the database one of before the first release. */
const AGE = sql`update drizzle.__drizzle_migrations set created_at = created_at - 1000000000000`;
const FUTURE = sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('future', 99999999999999)`;

describe("on PostgreSQL", needs("postgres"), () => {
  const url = () => database.url ?? "";
  const tables = async () => {
    const [row] = await database.db
      .select({ count: sql<number>`count(*)::int` })
      .from(sql`pg_tables where schemaname = 'public'`);
    return row?.count ?? 0;
  };

  test("five instances that migrate an empty database concurrently all succeed, without the database's timeout", async () => {
    const before = await tables();
    const name = new URL(url()).pathname.slice(1);
    await database.db.execute(
      sql.raw(`alter database ${name} set statement_timeout = '1min';
        create schema seen;
        create table seen.timeouts (value text primary key);
        create function seen.record() returns event_trigger language plpgsql as $$ begin
          insert into seen.timeouts values (current_setting('statement_timeout')) on conflict do nothing; end $$;
        create event trigger seen_${name} on ddl_command_end when tag in ('CREATE TABLE')
          execute function seen.record()`),
    );
    await database.db.execute(sql`drop schema public cascade`);
    await database.db.execute(sql`drop schema drizzle cascade`);
    await database.db.execute(sql`create schema public`);
    await Promise.all(Array.from({ length: 5 }, () => migratePostgres(url())));
    expect(await tables()).toBe(before);
    await migratePostgres(url());
    expect(await tables()).toBe(before);
    expect(await database.db.execute(sql`select value from seen.timeouts`)).toEqual([{ value: "0" }]);
    await database.db.execute(
      sql.raw(`alter database ${name} reset statement_timeout; drop schema seen cascade`),
    );
  });

  test("a user with rights to rows alone opens the migrated database, as docs/install.md describes", async () => {
    const role = `${new URL(url()).pathname.slice(1)}_server`;
    const server = new URL(url());
    [server.username, server.password] = [role, "server"];
    const page = await readFile(new URL("../../../docs/install.md", import.meta.url), "utf8");
    const statements = /```sql\n(.*?minutes_server.*?)```/s.exec(page)?.[1] ?? "";
    await database.db.execute(sql.raw(`create role ${role} login password 'server'`));
    try {
      await database.db.execute(sql.raw(statements.replaceAll("minutes_server", role)));
      const { close } = await connectPostgres({ url: server.href });
      await close();
    } finally {
      await database.db.execute(sql.raw(`drop owned by ${role}; drop role ${role}`));
    }
  });

  test("a database in another encoding than UTF-8 is refused and stays empty", async () => {
    const name = `${new URL(url()).pathname.slice(1)}_ascii`;
    const ascii = new URL(url());
    ascii.pathname = `/${name}`;
    await database.db.execute(
      sql.raw(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`),
    );
    try {
      await expect(migratePostgres(ascii.href)).rejects.toThrow("The database's encoding is SQL_ASCII");
      const { db, close } = await connectPostgres({ url: ascii.href, migrate: false });
      expect(await hasSchema(db)).toBe(false);
      await close();
    } finally {
      await database.db.execute(sql.raw(`drop database ${name} with (force)`));
    }
  });

  test("a schema newer than this version, or of before its first migration, is refused and left alone", async () => {
    await database.db.execute(FUTURE);
    await expect(connectPostgres({ url: url() })).rejects.toBeInstanceOf(SchemaNewerError);
    await database.db.execute(sql`delete from drizzle.__drizzle_migrations where hash = 'future'`);
    await database.db.execute(AGE);
    await expect(connectPostgres({ url: url() })).rejects.toThrow("before the first release");
    await database.db.execute(
      sql`update drizzle.__drizzle_migrations set created_at = created_at + 1000000000000`,
    );
    const again = await connectPostgres({ url: url() });
    await again.close();
  });

  test("rate windows are unlogged, so no request waits for the disk", async () => {
    const [row] = await database.db
      .select({ kind: sql<string>`relpersistence` })
      .from(sql`pg_class where relname = 'rate_windows'`);
    expect(row?.kind).toBe("u");
  });
});

describe("embedded", needs("embedded"), () => {
  test("a schema newer than this version is refused", async () => {
    const first = await connectEmbedded();
    await first.db.execute(FUTURE);
    const dump = await first.client.dumpDataDir("none");
    await first.close();
    await expect(connectEmbedded({ from: dump })).rejects.toBeInstanceOf(SchemaNewerError);
  });

  test("the vector type exists", async () => {
    const [row] = await database.db
      .select({ distance: sql<number>`'[1,2]'::vector <-> '[1,4]'::vector` })
      .from(sql`(values (1)) one`);
    expect(row?.distance).toBe(2);
  });
});

test("times have milliseconds on both engines, whatever their year", async () => {
  const { toInstant } = await import("./schema/types.js");
  expect(toInstant("2025-01-06 09:30:00.5+00")).toBe("2025-01-06T09:30:00.500Z");
  expect(toInstant("2025-01-06 09:30:00.123+00")).toBe("2025-01-06T09:30:00.123Z");
  expect(toInstant("2025-01-06 09:30:00+00")).toBe("2025-01-06T09:30:00.000Z");
  expect(toInstant("0001-01-01 00:00:00.001+00")).toBe("0001-01-01T00:00:00.001Z");
});
