import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { identifyRemainingPeople } from "@minutes/core";
import { type Connection, type Database, migratePostgres } from "@minutes/db";
import { needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRows } from "../operations/archive/catalog.js";
import { PersonIds } from "../testing/person-ids.js";
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
  let upgraded: Connection;
  beforeAll(async () => {
    release = await readRelease(version);
    restored = await restoreRelease(release);
  });
  afterAll(() => restored.remove());

  describe("while processes of both versions run", needs("postgres"), () => {
    test("200: no call fails, and none is answered differently, before, during and after the migration", async () => {
      const old = await serve(await restored.connectOld());
      let running = true;
      // The old process runs this version's code, which reads columns that the migration adds in these procedures. Until
      // then, the release's statements stand for them.
      let oldCalls: readonly AskedCall[] = release.asked.filter(
        ({ route }) => !/\/(meetings\.search|meetings\.get|tasks\.list)$/.test(route),
      );
      const failures: (AskedCall & { now: string })[] = [];
      const people = new PersonIds();
      const readAsReleased = () => Promise.all(RELEASED_READS.map((read) => readRows(old.db, sql.raw(read))));
      const released = await readAsReleased();
      const load = Array.from({ length: 2 }, async () => {
        do {
          failures.push(...(await findDifferences(old, oldCalls, people)));
          expect(await readAsReleased()).toEqual(released);
        } while (running);
      });
      await migratePostgres(restored.url ?? "");
      oldCalls = release.asked;
      upgraded = await restored.connectNew();
      const current = await serve(upgraded);
      failures.push(...(await findDifferences(current, release.asked)));
      for (const statement of EXPANSION) await upgraded.db.execute(sql.raw(statement));
      failures.push(...(await findDifferences(current, release.asked)));
      failures.push(...(await findDifferences(old, release.asked)));
      expect(people.size).toBe(0);
      await identifyRemainingPeople(upgraded.db, new AbortController().signal);
      failures.push(...(await findDifferences(current, release.asked, people)));
      failures.push(...(await findDifferences(old, release.asked, people)));
      running = false;
      await Promise.all(load);
      expect(failures).toEqual([]);
      expect(people.size).toBeGreaterThan(1);

      // The new process reads what the old one writes.
      const { anna } = release.filled;
      const [task] = await readRows<{ id: string }>(upgraded.db, selectTaskOf(anna.userId));
      const write = { taskId: task?.id, completed: true };
      expect((await old.call(anna.key, "me/tasks.update", write)).status).toBe(200);
      expect((await current.call(anna.key, "me/tasks.list", { completed: true })).text).toContain(task?.id);
      expect((await old.call(anna.key, "me/tasks.update", { ...write, completed: false })).status).toBe(200);
      await current.close();
      await old.close();
    });
  });

  test("200: it answers as before on the newest schema, except for the IDs of people once they have any", async () => {
    upgraded = await restored.connectNew();
    const server = await serve(upgraded);
    expect(release.asked.length).toBeGreaterThan(100);
    // The previous test may have identified them.
    for (const statement of UNIDENTIFIED) await upgraded.db.execute(sql.raw(statement));
    const people = new PersonIds();
    expect(await findDifferences(server, release.asked, people)).toEqual([]);
    expect(people.size).toBe(0);
    await identifyRemainingPeople(upgraded.db, new AbortController().signal);
    expect(await findDifferences(server, release.asked, people)).toEqual([]);
    expect(people.size).toBeGreaterThan(1);
    await server.close();
  });

  test("its migrations are those of this version, unchanged", async () => {
    const released = await readHashes(upgraded.db);
    const present = await hashMigrations();
    expect(released.length).toBeGreaterThanOrEqual(20);
    expect(present.slice(0, released.length)).toEqual(released);
  });
});

/** Statements with which a process of the release reads people, with labels as IDs. */
const RELEASED_READS = [
  "select p.meeting_id, p.id, p.name, p.email from participants p order by p.meeting_id, p.position",
  "select k.id, k.text, k.assignee_id, k.assignee_name, k.assignee_email from tasks k order by k.id",
];

/** Removes the IDs of people, as the migration leaves them. */
const UNIDENTIFIED = [
  "update participants set person_id = null",
  "update tasks set assignee_person_id = null",
  "delete from people",
];

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
