import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { getFailure } from "../test/scripted.js";
import { createSimulatedClock } from "../test/simulated-clock.js";
import {
  type Change,
  createMeClient,
  createWorkspaceClient,
  type DetailedChange,
  type FetchLike,
  type MeClient,
} from "./index.js";
import { createChangeFeed } from "./sync.js";

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.member(await server.given.company());
});
afterAll(() => server.close());

/** Collects changes in the form `upsert meeting mtg_…`. */
function collect() {
  const changes: string[] = [];
  const onChange = ({ op, type, id }: Change) => void changes.push(`${op} ${type} ${id}`);
  return { changes, onChange };
}

test("sync reads everything first, then changes since the last cursor", async () => {
  const zoe = await server.given.person();
  const client = createMeClient({ baseUrl: server.url, apiKey: zoe.key });
  const meetings = [];
  for (let at = 0; at < 3; at++) meetings.push(await server.given.meeting(zoe));
  const ids = meetings.map(({ meetingId }) => meetingId);
  const first = collect();
  const cursors: string[] = [];
  const read = (cursor: string | null, onChange: (change: Change) => void) =>
    client.sync({ cursor, limit: 2, follow: false, onChange, onCursor: (next) => void cursors.push(next) });
  let cursor = await read(null, first.onChange);
  // A transaction of another suite on the same server can hold the feed back.
  while (first.changes.length < 3) cursor = await read(cursor, first.onChange);
  expect(first.changes).toEqual(ids.map((id) => `upsert meeting ${id}`));
  expect(cursors.length).toBeGreaterThanOrEqual(2);
  expect(cursor).toBe(cursors.at(-1));
  await client.meetings.delete.mutate({ meetingId: ids[0] ?? "" });
  const second = collect();
  while (second.changes.length === 0) cursor = await read(cursor, second.onChange);
  expect(second.changes).toEqual([`removed meeting ${ids[0]}`]);
});

test("sync iterates over changes, and a store keeps the cursor between runs", async () => {
  const ben = await server.given.member(await server.given.company());
  const client = createMeClient({ baseUrl: server.url, apiKey: ben.key });
  const { meetingId } = await server.given.meeting(ben);
  let cursor: string | null = null;
  const store = {
    load: async () => cursor,
    save: async (next: string) => {
      cursor = next;
    },
  };
  const run = async (from: { cursor?: null } = {}) => {
    const ids: string[] = [];
    for await (const { id } of client.sync({ ...from, store, follow: false })) ids.push(id);
    return ids;
  };
  await expect.poll(() => run()).toEqual([meetingId]);
  expect(await run()).toEqual([]);
  expect(await run({ cursor: null })).toEqual([meetingId]);

  const next = await server.given.meeting(ben);
  const before = cursor;
  // A transaction of another suite on the same server can hold the feed back: wait for the change.
  for await (const { id } of client.sync({ store })) {
    expect(id).toBe(next.meetingId);
    break;
  }
  // A page that was not processed to its end is read again.
  expect(cursor).toBe(before);
  await expect.poll(() => run()).toEqual([next.meetingId]);
});

test("sync waits for changes until its signal aborts, and returns the last cursor", async () => {
  // With nothing to send, the first call would wait, too.
  await server.given.meeting(anna);
  const client = createMeClient({ baseUrl: server.url, apiKey: anna.key });
  const stop = new AbortController();
  const { changes, onChange } = collect();
  let cursor: string | undefined;
  const ended = client.sync({
    detail: true,
    signal: stop.signal,
    onChange,
    onCursor: (next) => {
      cursor = next;
    },
  });
  await expect.poll(() => cursor).toBeDefined();
  const { meetingId } = await server.given.meeting(anna);
  await expect.poll(() => changes.at(-1)).toBe(`upsert meeting ${meetingId}`);
  stop.abort();
  expect(await ended).toBe(cursor);
});

test("with `detail: true`, a meeting's details are there by type", () => {
  type Details<Any> =
    Extract<Any, { type: "meeting"; op: "upsert" }> extends { data: infer Data } ? Data : never;
  expectTypeOf<Details<DetailedChange>["transcript"]>().toEqualTypeOf<string>();
  expectTypeOf<Details<Change>["transcript"]>().toEqualTypeOf<string | undefined>();
  const read = (client: MeClient) => ({
    detailed: client.sync({ detail: true }),
    plain: client.sync({ detail: false }),
    done: client.sync({
      detail: true,
      onChange: (change) => void expectTypeOf(change).toEqualTypeOf<DetailedChange>(),
    }),
  });
  type Read = ReturnType<typeof read>;
  expectTypeOf<Read["detailed"]>().toEqualTypeOf<AsyncGenerator<DetailedChange, void, undefined>>();
  expectTypeOf<Read["plain"]>().toEqualTypeOf<AsyncGenerator<Change, void, undefined>>();
  expectTypeOf<Read["done"]>().toEqualTypeOf<Promise<string | null>>();
});

test("410: an invalid cursor ends it with the code gone", async () => {
  const { companyClient, page } = await companyFeed();
  await server.db.execute("select record_start()");
  await server.db.execute("update sync_starts set source = 'elsewhere'");
  await server.db.execute("select record_start()");
  const error = await getFailure(companyClient.sync({ cursor: page?.nextCursor, onChange: () => {} }));
  expect([error.status, error.code]).toEqual([410, "gone"]);
});

async function companyFeed() {
  const company = await server.given.company();
  const companyClient = createWorkspaceClient({ baseUrl: server.url, apiKey: company.key });
  const { value: page } = await companyClient.changes({ follow: false }).next();
  return { companyClient, page };
}

test("following waits for changes, however short the timeout is", async () => {
  await server.given.meeting(anna);
  const waits: unknown[] = [];
  const options = { timeout: 1, onWait: (wait: unknown) => void waits.push(wait) };
  const pages = createMeClient({ baseUrl: server.url, apiKey: anna.key, ...options }).changes();
  let page = await pages.next();
  while (page.value?.hasMore) page = await pages.next();
  const next = pages.next();
  const { meetingId } = await server.given.meeting(anna);
  page = await next;
  while (page.value?.changes.length === 0) page = await pages.next();
  expect(page.value?.changes.map(({ id }) => id)).toContain(meetingId);
  expect(waits).toEqual([]);
});

test("following waits for the quota longer than a call's patience, and says what it waits for", async () => {
  const clock = createSimulatedClock();
  const json = { changes: [], nextCursor: "next", hasMore: false };
  let calls = 0;
  const reset = String(Math.ceil(clock.now() / 1000) + 5);
  const headers = { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
  const fetch: FetchLike = async () =>
    ++calls === 1
      ? Response.json({ error: "Too many." }, { status: 429, headers: { ...headers, "retry-after": "5" } })
      : Response.json({ result: { data: { json } } });
  const waits: string[] = [];
  const onWait = ({ reason }: { reason: string }) => waits.push(reason);
  const options = { baseUrl: "https://minutes.test", apiKey: "jk_test", patience: 100, fetch, onWait };
  const { value } = await createChangeFeed("me", options, clock).changes().next();
  expect(value?.nextCursor).toBe("next");
  expect(new Set(waits)).toEqual(new Set(["rate_limit"]));
});

test("following continues after faults that outlast a call's retries", async () => {
  const clock = createSimulatedClock();
  let calls = 0;
  const fetch: FetchLike = async () => {
    if (++calls < 20) throw new TypeError("fetch failed");
    const json = { changes: [], nextCursor: "next", hasMore: false };
    return new Response(JSON.stringify({ result: { data: { json } } }), { status: 200 });
  };
  const feed = createChangeFeed("me", { baseUrl: "https://minutes.test", apiKey: "jk_test", fetch }, clock);
  const { value } = await feed.changes().next();
  expect([calls, value?.nextCursor]).toEqual([20, "next"]);
  calls = 0;
  expect((await getFailure(feed.changes({ follow: false }).next())).code).toBe("network");
});
