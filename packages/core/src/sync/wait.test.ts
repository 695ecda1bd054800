import { type ChangePage, LIMITS } from "@minutes/contract";
import { type Person, readPayload, startTestServer, type TestServer } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChangeSignal } from "./signal.js";

const ROUTE = "sync/me/changes.list";

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

/** Begins to wait for changes after all that there is. */
async function waitingFor({ key }: Pick<Person, "key">, wait = 20) {
  let page = await server.data(key, ROUTE);
  // Another suite's transaction on the same server may hold the feed back.
  while (page.changes.length > 0) page = await server.data(key, ROUTE, { cursor: page.nextCursor });
  const { nextCursor: cursor } = page;
  let answered = false;
  const answer = server.call(key, ROUTE, { cursor, wait }).finally(() => {
    answered = true;
  });
  const changes = async () => readPayload<ChangePage>(await answer).changes.map(({ id }) => id);
  return { cursor, answer, changes, isAnswered: () => answered };
}

describe("200: a call that waits is answered", () => {
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
    const { answer, cursor } = await waitingFor(await given.person(), 1);
    const page = readPayload<ChangePage>(await answer);
    expect([page.changes, page.hasMore]).toEqual([[], false]);
    expect(page.nextCursor).not.toBe(cursor);
  });

  test("at once when there is something already, counted as one request", async () => {
    const anna = await given.person();
    const { meetingId } = await given.meeting(anna);
    const first = await server.call(anna.key, ROUTE);
    const { nextCursor: cursor } = readPayload<ChangePage>(first);
    const second = await server.call(anna.key, ROUTE, { cursor, wait: 1 });
    const remaining = [first, second].map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
    expect((remaining[0] ?? 0) - (remaining[1] ?? 0)).toBe(1);
    expect((await server.data(anna.key, ROUTE, { wait: 30 })).changes).toMatchObject([{ id: meetingId }]);
  });
});

test("429: more calls of a holder wait than may; those of others still do", async () => {
  const [anna, ben] = [await given.person(), await given.person()];
  const { cursor, answer } = await waitingFor(anna, 30);
  const calls = Array.from({ length: LIMITS.syncWaitsAtOnce }, () =>
    server.call(anna.key, ROUTE, { cursor, wait: 30 }),
  );
  const refused = await Promise.race(calls);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
  expect((await server.call(ben.key, ROUTE, { wait: 1 })).status).toBe(200);
  await given.meeting(anna);
  const statuses = (await Promise.all([answer, ...calls])).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  // Their places are free again.
  expect((await server.call(anna.key, ROUTE, { cursor, wait: 1 })).status).toBe(200);
});

test("a stop and a client that goes away end a wait at once", async () => {
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

test("a wait is woken once its change can be read, and when notifications may have been missed", async () => {
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
  );
  const waiter = await signal.watch("user:anna", ["user:anna", "user:ben"]);
  let woken = 0;
  const wait = () => waiter.wait(60_000).then(() => woken++);
  void wait();
  notify("7 workspace:x user:ben");
  notify("3 user:cleo");
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
