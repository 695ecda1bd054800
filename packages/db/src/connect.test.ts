import { chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectEmbedded, execute } from "@minutes/db";
import { needs, testDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

test("times and bytes are read alike, whatever styles the database prefers", needs("postgres"), async () => {
  const database = await testDatabase();
  const name = sql.identifier(new URL(database.url ?? "").pathname.slice(1));
  await database.db.execute(sql`alter database ${name} set datestyle = 'SQL, DMY'`);
  await database.db.execute(sql`alter database ${name} set bytea_output = 'escape'`);
  const { db } = await database.connect();
  const values = () => sql`select timestamptz '2026-02-03 04:05:06.7Z' as time, '\\xff00'::bytea as bytes`;
  const [row] = await execute<{ time: string; bytes: Uint8Array }>(db, "styles", values, {});
  expect(row?.time).toBe("2026-02-03T04:05:06.700Z");
  expect([...(row?.bytes ?? [])]).toEqual([255, 0]);
  await database.close();
});

test(
  "the embedded files are closed to other users, in whatever directory they are",
  needs("embedded"),
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "minutes-open-"));
    await mkdir(join(dataDir, "db"));
    for (const path of [dataDir, join(dataDir, "db")]) await chmod(path, 0o755);
    const connection = await connectEmbedded({ dataDir });
    expect((await stat(join(dataDir, "db"))).mode & 0o077).toBe(0);
    await connection.close();
    await rm(dataDir, { recursive: true });
  },
);
