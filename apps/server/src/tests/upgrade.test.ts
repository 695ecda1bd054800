import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Connection, type Database, migratePostgres } from "@minutes/db";
import { needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRows } from "../operations/archive/catalog.js";
import { listReleases, type Release, readRelease } from "../testing/release/files.js";
import { type RestoredRelease, restoreRelease } from "../testing/release/restore.js";
import { type AskedCall, findDifferences, serve } from "../testing/same-answers.js";

const MIGRATIONS = fileURLToPath(new URL("../../../../packages/db/migrations", import.meta.url));

/** Schema changes that a later release can make while processes of this one run: only additions. */
const EXPANSION = [
  "alter table meetings add column added_later text",
  "alter table meetings add column added_with_default integer not null default 7",
  "create table added_later (id bigint primary key, meeting_id text not null references meetings on delete cascade)",
  "create index added_later_meetings on meetings (added_with_default)",
];

describe.each(listReleases())("an installation of %s", (version) => {
  let release: Release;
  let restored: RestoredRelease;
  let upgraded: Promise<Connection> | undefined;
  const connectUpgraded = () => (upgraded ??= restored.connectNew());
  beforeAll(async () => {
    release = await readRelease(version);
    restored = await restoreRelease(release);
  });
  afterAll(() => restored.remove());

  describe("while processes of both versions run", needs("postgres"), () => {
    test("200: no call fails, and none is answered differently, before, during and after the migration", async () => {
      const old = await serve(await restored.connectOld());
      let running = true;
      const failures: (AskedCall & { now: string })[] = [];
      const load = Array.from({ length: 2 }, async () => {
        do failures.push(...(await findDifferences(old, release.asked)));
        while (running);
      });
      await migratePostgres(restored.url ?? "");
      const { db } = await connectUpgraded();
      const current = await serve(await connectUpgraded());
      failures.push(...(await findDifferences(current, release.asked)));
      for (const statement of EXPANSION) await db.execute(sql.raw(statement));
      failures.push(...(await findDifferences(current, release.asked)));
      failures.push(...(await findDifferences(old, release.asked)));
      running = false;
      await Promise.all(load);
      expect(failures).toEqual([]);

      // The new process reads what the old one writes.
      const { anna } = release.filled;
      const [task] = await readRows<{ id: string }>(db, selectTaskOf(anna.userId));
      const write = { taskId: task?.id, completed: true };
      expect((await old.call(anna.key, "me/tasks.update", write)).status).toBe(200);
      expect((await current.call(anna.key, "me/tasks.list", { completed: true })).text).toContain(task?.id);
      expect((await old.call(anna.key, "me/tasks.update", { ...write, completed: false })).status).toBe(200);
      await current.close();
      await old.close();
    });
  });

  test("200: it answers as before on the newest schema", async () => {
    const server = await serve(await connectUpgraded());
    expect(release.asked.length).toBeGreaterThan(100);
    expect(await findDifferences(server, release.asked)).toEqual([]);
    await server.close();
  });

  test("its migrations are those of this version, unchanged", async () => {
    const released = await readHashes((await connectUpgraded()).db);
    const present = await hashMigrations();
    expect(released.length).toBeGreaterThanOrEqual(1);
    expect(present.slice(0, released.length)).toEqual(released);
  });
});

/** Selects an open task that the user can change. */
const selectTaskOf = (userId: string) => sql`
  select t.id::text as id from tasks t join meetings m on m.id = t.meeting_id
  where m.user_id = ${userId} and not t.completed limit 1`;

/** Reads the hashes of a database's applied migrations, in order. */
async function readHashes(db: Database): Promise<string[]> {
  const rows = await readRows<{ hash: string }>(
    db,
    sql`select hash from drizzle.__drizzle_migrations order by created_at`,
  );
  return rows.map(({ hash }) => hash);
}

/** Hashes the migrations of this version, in order. */
async function hashMigrations(): Promise<string[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).toSorted();
  return Promise.all(
    names.map(async (name) =>
      createHash("sha256")
        .update(await readFile(join(MIGRATIONS, name)))
        .digest("hex"),
    ),
  );
}
