import { type ChangePage, LIMITS, MESSAGES } from "@minutes/contract";
import { connectEmbedded, schema } from "@minutes/db";
import { givenOn, needs, openTestApi, readPayload, type TestApi, waitForFeed } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { visibleTo } from "../access/index.js";
import { type FeedCursor, formatFeedCursor, parseFeedCursor, purgeSync } from "./cursor.js";
import { measureFeedDelay } from "./delay.js";
import { listChanges } from "./list.js";

const ROUTE = "sync/me/changes.list";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const callerOf = ({ userId, keyId }: { userId: string; keyId: string }) =>
  ({ kind: "user", userId, workspaceId: "", via: { kind: "key", keyId } }) as const;

async function person() {
  const anna = await given.person();
  const read = (cursor?: string, more: object = {}) =>
    api.call(anna.key, ROUTE, { ...more, ...(cursor === undefined ? {} : { cursor }) });
  const page = async (cursor?: string, more?: object) => readPayload<ChangePage>(await read(cursor, more));
  /** Creates a cursor with other content, which only its holder could do. */
  const change = (cursor: string, facts: Partial<FeedCursor>) =>
    formatFeedCursor({ ...parseFeedCursor(cursor, callerOf(anna)), ...facts }, callerOf(anna));
  return { anna, read, page, change };
}

const again = [410, { error: MESSAGES.syncAgain }];
const malformed = [400, { error: "Invalid cursor format" }];

describe("400: a cursor", () => {
  test("that is malformed, changed, another user's or a workspace's", async () => {
    const { anna, read, page, change } = await person();
    const company = await given.company();
    const { nextCursor } = await page();
    const other = await (await person()).page();
    const theirs = await api.data(company.key, "sync/workspace/changes.list");
    const flipped = `${nextCursor.startsWith("A") ? "B" : "A"}${nextCursor.slice(1)}`;
    for (const cursor of [
      flipped,
      `${nextCursor}A`,
      nextCursor.slice(0, -1),
      other.nextCursor,
      theirs.nextCursor,
      change(nextCursor, { group: "\0" }),
      change(nextCursor, { number: -1 }),
      change(nextCursor, { kind: 3 }),
      change(nextCursor, { seen: 1e300 }),
    ]) {
      const { status, body } = await read(cursor);
      expect([status, body]).toEqual(malformed);
    }
    expect((await api.call(anna.key, ROUTE, { cursor: nextCursor })).status).toBe(200);
  });

  test("of pages without details, for a page with them", async () => {
    const { read, page } = await person();
    const { nextCursor } = await page();
    const { status, body } = await read(nextCursor, { include: ["detail"] });
    expect([status, body]).toEqual([400, { error: MESSAGES.syncOtherInclude }]);
  });
});

describe("410: start again", () => {
  test("after 90 days, counted from the first page of a chain", async () => {
    const { anna, read, page, change } = await person();
    for (let at = 0; at < 3; at++) await given.meeting(anna);
    await waitForFeed(api.db);
    const { nextCursor, hasMore } = await page(undefined, { limit: 1 });
    expect(hasMore).toBe(true);
    const now = parseFeedCursor(nextCursor, callerOf(anna)).began;
    const old = change(nextCursor, { began: now - LIMITS.syncCursorDays * 86_400 - 60 });
    const { status, body } = await read(old);
    expect([status, body]).toEqual(again);
    const young = change(nextCursor, { began: now - LIMITS.syncCursorDays * 86_400 + 600 });
    const next = await page(young, { limit: 1 });
    expect(parseFeedCursor(next.nextCursor, callerOf(anna)).began).toBe(
      now - LIMITS.syncCursorDays * 86_400 + 600,
    );
  });

  test("if a cursor is ahead of the database, or names a start that never happened", async () => {
    const { read, page, change } = await person();
    const { nextCursor } = await page();
    for (const facts of [{ number: 2 ** 50 }, { seen: 2 ** 50 }, { start: "unknown" }]) {
      const { status, body } = await read(change(nextCursor, facts));
      expect([status, body]).toEqual(again);
    }
  });

  test(
    "after restoring a backup older than the cursor; an older cursor continues",
    needs("embedded"),
    async () => {
      const first = await connectEmbedded();
      const anna = await givenOn(first.db).person();
      const feed = { caller: callerOf(anna), scope: visibleTo(anna) };
      const before = await listChanges(first.db, feed, { limit: 50 });
      const backup = await first.client.dumpDataDir("none");
      await givenOn(first.db).meeting(anna);
      const after = await listChanges(first.db, feed, { limit: 50, cursor: before.nextCursor });
      expect(after.changes).toHaveLength(1);
      await first.close();

      const restored = await connectEmbedded({ from: backup });
      // As many transactions as were lost, so that the position alone reveals nothing.
      for (let at = 0; at < 100; at++) await restored.db.execute(sql`select pg_current_xact_id()`);
      const read = (cursor: string) => listChanges(restored.db, feed, { limit: 50, cursor });
      await expect(read(after.nextCursor)).rejects.toThrow(MESSAGES.syncAgain);
      expect((await read(before.nextCursor)).changes).toEqual([]);
      await restored.close();
    },
  );

  test("after restoring a dump into another database; a new copy is complete", async () => {
    const { anna, read, page } = await person();
    const { meetingId } = await given.meeting(anna);
    await api.db.execute(sql`select record_start()`);
    const { nextCursor } = await page();
    await api.db.execute(sql`select record_start()`);
    expect((await read(nextCursor)).status).toBe(200);
    await api.db.update(schema.syncStarts).set({ source: "another cluster" });
    await api.db.execute(sql`select record_start()`);
    const { status, body } = await read(nextCursor);
    expect([status, body]).toEqual(again);
    await waitForFeed(api.db);
    const copy = await page();
    expect(copy.changes).toMatchObject([{ type: "meeting", id: meetingId, op: "upsert" }]);
    const later = await given.meeting(anna);
    await expect
      .poll(async () => (await page(copy.nextCursor)).changes)
      .toMatchObject([{ type: "meeting", id: later.meetingId, op: "upsert" }]);
  });
});

test("removals and starts are purged once no cursor needs them", async () => {
  const { anna } = await person();
  const [old, young] = [await given.meeting(anna), await given.meeting(anna)];
  for (const { meetingId } of [old, young]) await api.data(anna.key, "me/meetings.delete", { meetingId });
  const { syncRemovals, syncStarts } = schema;
  await api.db
    .update(syncRemovals)
    .set({ at: sql`now() - interval '92 days'` })
    .where(eq(syncRemovals.id, old.meetingId));
  await api.db.delete(syncStarts);
  const source = "here";
  await api.db.insert(syncStarts).values([
    { key: "1", source, number: 1, at: sql`now() - interval '200 days'` },
    { key: "2", source, number: 2, at: sql`now() - interval '100 days'` },
    { key: "3", source, number: 3 },
  ]);
  await purgeSync(api.db);
  const left = await api.db
    .select({ id: syncRemovals.id })
    .from(syncRemovals)
    .where(eq(syncRemovals.scope, `user:${anna.userId}`));
  expect(left).toEqual([{ id: young.meetingId }]);
  const starts = await api.db.select({ key: syncStarts.key }).from(syncStarts).orderBy(syncStarts.id);
  expect(starts).toEqual([{ key: "2" }, { key: "3" }]);
  await api.db.delete(syncStarts);
});

test("200: a transaction that commits after younger ones is not skipped", needs("postgres"), async () => {
  const { anna, page } = await person();
  const [late, early] = [await given.meeting(anna), await given.meeting(anna)];
  const { tasks } = schema;
  const task = (meetingId: string, id: string) => ({
    id,
    meetingId,
    userId: anna.userId,
    workspaceId: sql`(select workspace_id from members where user_id = ${anna.userId})` as never,
    position: 0,
    text: "x",
    createdAt: sql`now()` as never,
  });
  await api.db.insert(tasks).values([task(late.meetingId, "tsk_late"), task(early.meetingId, "tsk_early")]);
  const read = async () => {
    const ids: string[] = [];
    for (;;) {
      const { changes, nextCursor } = await page(cursor);
      cursor = nextCursor;
      ids.push(...changes.map(({ id }) => id));
      if (ids.length > 0 || changes.length === 0) return ids;
    }
  };
  let cursor: string | undefined;
  await expect.poll(async () => (await page()).changes.length).toBe(4);
  await read();
  const other = await api.database.connect();
  const complete = (db: TestApi["db"], id: string) =>
    db.update(tasks).set({ completed: true }).where(eq(tasks.id, id));
  await other.db.transaction(async (tx) => {
    await complete(tx, "tsk_late");
    await complete(api.db, "tsk_early");
    // The younger transaction has committed. Sending it now would move the cursor past the older one.
    expect(await read()).toEqual([]);
  });
  const ids: string[] = [];
  await expect.poll(async () => ids.push(...(await read()))).toBe(2);
  expect(ids).toEqual(["tsk_late", "tsk_early"]);
});

test(
  "the feed's delay is the age of the oldest transaction that has written",
  needs("postgres"),
  async () => {
    const other = await api.database.connect({ poolSize: 1 });
    const readClock = async () => {
      const [row] = await api.db
        .select({ seconds: sql<number>`extract(epoch from clock_timestamp())::float8` })
        .from(sql`(values (1)) one`);
      return row?.seconds ?? 0;
    };
    // Transactions of other suites on the same server end soon.
    const isDelayedSince = async (moment: number) =>
      (await readClock()) - (await measureFeedDelay(api.db)) <= moment;
    await other.db.transaction(async (tx) => {
      await tx.execute(sql`select 1`);
      const began = await readClock();
      // So far it has only read.
      await expect.poll(() => isDelayedSince(began)).toBe(false);
      await tx.execute(sql`select transaction_number()`);
      expect(await isDelayedSince(began)).toBe(true);
    });
    const ended = await readClock();
    await expect.poll(() => isDelayedSince(ended)).toBe(false);
    await other.close();
  },
);
