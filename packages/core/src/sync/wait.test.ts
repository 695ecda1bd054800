import { type ChangePage, LIMITS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Person, readPayload, waitFor, waitForFeed } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deleteTag, OPERATOR, unshareMeeting, untagMeeting } from "../index.js";
import { regenerateKey, revokeKey } from "../keys/index.js";
import { enableChangeNotifications, findReaders } from "./announce.js";
import { CHANGES_CHANNEL, ChangeSignal } from "./signal.js";

const ROUTE = "sync/me/changes.list";

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

/** Starts waiting for changes after everything was read. */
async function waitingFor({ key }: Pick<Person, "key">, wait = 30, at = server) {
  await waitForFeed(server.db);
  let page = await server.data(key, ROUTE);
  while (page.changes.length > 0) page = await server.data(key, ROUTE, { cursor: page.nextCursor });
  const { nextCursor: cursor } = page;
  let answered = false;
  const answer = at.call(key, ROUTE, { cursor, wait }).finally(() => {
    answered = true;
  });
  /** Returns the changes. Waits again if a transaction of another suite held them back for all of the wait. */
  const changes = async () => {
    page = readPayload<ChangePage>(await answer);
    while (page.changes.length === 0) page = await at.data(key, ROUTE, { cursor: page.nextCursor, wait });
    return page.changes.map(({ id }) => id);
  };
  return { cursor, answer, changes, isAnswered: () => answered };
}

describe("200: a waiting call is answered", () => {
  test("at the first change of its scopes, and not at others'", async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    const meeting = await given.meeting(anna, { tasks: [{ text: "Feed it" }] });
    const calls = { anna: await waitingFor(anna), ben: await waitingFor(ben) };
    await given.meeting(await given.person());
    const later = await given.meeting(anna);
    expect(await calls.anna.changes()).toContain(later.meetingId);
    expect(calls.ben.isAnswered()).toBe(false);
    await given.shared(meeting, ben);
    expect(await calls.ben.changes()).toEqual([meeting.meetingId, meeting.taskIds[0]]);
    const again = await waitingFor(ben);
    const [taskId] = meeting.taskIds;
    await server.data(anna.key, "me/tasks.update", { taskId, completed: true });
    expect(await again.changes()).toEqual([taskId]);
  });

  test("with an empty page when its time is over", async () => {
    const { key } = await given.person();
    const { answer, cursor } = await waitingFor({ key }, 1);
    let page = readPayload<ChangePage>(await answer);
    expect([page.changes, page.hasMore]).toEqual([[], false]);
    // It moves on unless a transaction of another suite holds the feed back.
    await expect
      .poll(async () => {
        page = await server.data(key, ROUTE, { cursor: page.nextCursor });
        return page.nextCursor;
      })
      .not.toBe(cursor);
  });

  test("immediately if there are changes already, counted as one request", async () => {
    const anna = await given.person();
    const { meetingId } = await given.meeting(anna);
    await waitForFeed(server.db);
    const first = await server.call(anna.key, ROUTE);
    const { nextCursor: cursor } = readPayload<ChangePage>(first);
    const second = await server.call(anna.key, ROUTE, { cursor, wait: 1 });
    const remaining = [first, second].map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
    expect((remaining[0] ?? 0) - (remaining[1] ?? 0)).toBe(1);
    expect((await server.data(anna.key, ROUTE, { wait: 30 })).changes).toMatchObject([{ id: meetingId }]);
  });
});

test("401: a key revoked while its call waits gets no further answer", async () => {
  const [anna, ben] = [await given.person(), await given.person()];
  const [changed, unchanged] = [await waitingFor(anna), await waitingFor(ben, 5)];
  await expect.poll(() => server.changes.waiting === 2 || unchanged.isAnswered()).toBe(true);
  for (const { keyId } of [anna, ben]) await revokeKey(server.db, OPERATOR, keyId);
  await given.meeting(anna);
  for (const call of [changed, unchanged]) {
    const { status, body } = await call.answer;
    expect([status, body]).toEqual([401, { error: "Invalid API key" }]);
  }
});

test("401: a key regenerated or expired while its call waits", async () => {
  const other = await startTestServer({ database: server.database });
  const [anna, ben] = [await given.person(), await given.person()];
  const calls = [await waitingFor(anna, 30, other), await waitingFor(ben, 30, other)];
  await expect.poll(() => other.changes.waiting).toBe(2);
  await regenerateKey(server.db, OPERATOR, anna.keyId);
  await server.db
    .update(schema.apiKeys)
    .set({ expiresAt: sql`now() - interval '1 second'` })
    .where(eq(schema.apiKeys.id, ben.keyId));
  await other.changes.stop();
  for (const call of calls) expect((await call.answer).status).toBe(401);
  await other.close();
});

test("429: too many waiting calls of one holder; those of others still wait", async () => {
  const [anna, ben] = [await given.person(), await given.person()];
  const { cursor, answer } = await waitingFor(anna, 30);
  const others = Array.from({ length: LIMITS.syncWaitsAtOnce }, () =>
    server.call(anna.key, ROUTE, { cursor, wait: 30 }),
  );
  // Any of them can be the last to arrive.
  const calls = [answer, ...others];
  const refused = await Promise.race(calls);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
  expect((await server.call(ben.key, ROUTE, { wait: 1 })).status).toBe(200);
  await given.meeting(anna);
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  // Their slots are free again.
  expect((await server.call(anna.key, ROUTE, { cursor, wait: 1 })).status).toBe(200);
});

test("a stop and a client that disconnects end a wait immediately", async () => {
  const other = await startTestServer({ database: server.database });
  const anna = await given.person();
  const gone = new AbortController();
  const url = `${other.url}/sync/v1/me/changes.list?input=${encodeURIComponent('{"json":{"wait":20}}')}`;
  const headers = { "x-api-key": anna.key };
  const left = fetch(url, { headers, signal: gone.signal }).catch(() => "gone");
  const stays = fetch(url, { headers });
  await expect.poll(() => other.changes.waiting).toBe(2);
  gone.abort();
  expect(await left).toBe("gone");
  await expect.poll(() => other.changes.waiting).toBe(1);
  await other.changes.stop();
  expect((await stays).status).toBe(200);
  await other.close();
});

test("a waiter is woken once its change is visible, and when notifications may have been missed", async () => {
  let top = 7;
  let notify: (payload?: string) => void = () => {};
  const connection = {
    ...server.connection,
    listen: async (_channel: string, onNotify: typeof notify) => {
      notify = onNotify;
      return async () => {};
    },
  };
  const signal = new ChangeSignal(
    connection,
    () => {},
    async () => ({ ended: top, started: 7 }),
    async (scopes) => (scopes.includes("meeting:a") ? ["user:anna"] : []),
  );
  const waiter = await signal.watch("user:anna");
  let woken = 0;
  const wait = () => waiter.wait(60_000).then(() => woken++);
  void wait();
  notify("7 workspace:x user:ben meeting:a");
  notify("3 user:cleo meeting:b");
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(woken).toBe(0);
  top = 8;
  await expect.poll(() => woken).toBe(1);
  void wait();
  notify();
  await expect.poll(() => woken).toBe(2);
  waiter.close();
  await signal.stop();
});

test("a notification reaches the users affected by a change, and none of the owner's other colleagues", async () => {
  const { db, connection } = server;
  const company = await given.company();
  const [anna, ben, cleo, dora] = [
    await given.member(company),
    await given.member(company),
    await given.member(company),
    await given.member(company),
  ];
  const names = new Map(
    Object.entries({ anna, ben, cleo, dora }).map(([name, { userId }]) => [userId, name]),
  );
  const plain = await given.meeting(anna);
  const meeting = await given.meeting(anna, { tasks: [{ text: "Wake" }] });
  const [tag, other] = [await given.tagged(plain, "Team"), await given.tagged(plain, "Other")];
  await untagMeeting(db, OPERATOR, plain.meetingId, tag);
  await given.tagShared(tag, cleo);
  await given.tagShared(other, dora);
  await untagMeeting(db, OPERATOR, plain.meetingId, other);
  await given.shared(meeting, ben);

  let payloads: string[] = [];
  const stopListening = await connection.listen(
    CHANGES_CHANNEL,
    (payload = "") => void payloads.push(payload),
  );
  const findWoken = async (write: Promise<unknown>) => {
    await write;
    await db.execute(sql`select pg_notify(${CHANGES_CHANNEL}, 'end')`);
    await waitFor(() => expect(payloads).toContain("end"));
    const scopes = payloads.flatMap((payload) => payload.split(" ").slice(1));
    payloads = [];
    const holders = [...scopes, ...(await findReaders(db, scopes))];
    const woken = holders.map((holder) => names.get(holder.replace("user:", "")));
    return [...new Set(woken)].filter((name) => name !== undefined).sort();
  };
  const update = (table: string, change: string, id = "") =>
    db.execute(sql.raw(`update ${table} set ${change} where id = '${id}'`));
  await enableChangeNotifications(db);
  // Notifications of earlier changes may not have arrived yet.
  await findWoken(Promise.resolve());
  expect(await findWoken(update("meetings", "title = 'New'", plain.meetingId))).toEqual(["anna"]);
  expect(await findWoken(update("tasks", "completed = true", meeting.taskIds[0]))).toEqual(["anna", "ben"]);
  expect(await findWoken(given.tagged(meeting, "Team"))).toEqual(["anna", "ben", "cleo"]);
  expect(await findWoken(untagMeeting(db, OPERATOR, meeting.meetingId, tag))).toEqual([
    "anna",
    "ben",
    "cleo",
  ]);
  expect(await findWoken(update("tags", "name = 'New'", tag))).toEqual(["anna", "cleo"]);
  expect(await findWoken(unshareMeeting(db, OPERATOR, meeting.meetingId, ben.userId))).toEqual(["ben"]);
  expect(await findWoken(deleteTag(db, OPERATOR, tag))).toEqual(["anna", "cleo"]);
  await db.update(schema.syncWaits).set({ until: sql`now() - interval '1 second'` });
  // Nobody waits, so a write sends no notification.
  expect(await findWoken(given.meeting(anna))).toEqual([]);
  await stopListening();
});
