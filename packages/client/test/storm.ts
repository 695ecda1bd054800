import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { createTRPCClient } from "@trpc/client";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FetchLike, type MeRouter, paginate } from "../src/index.js";
import { createLink } from "../src/link.js";
import { createSimulatedClock } from "./simulated-clock.js";

let server: TestServer;
let anna: Person;
/** Creates clients of the real service, whose rate windows use a clock that skips every wait. */
function stage(clients: number) {
  const statuses: number[] = [];
  let ahead = 0;
  let underWay = 0;
  /** The service's clock is ahead of the machine's by the skipped time. */
  const fetch: FetchLike = async (url, init) => {
    underWay++;
    try {
      const answer = await globalThis.fetch(url, init);
      statuses.push(answer.status);
      const headers = new Headers(answer.headers);
      const reset = Number(headers.get("x-ratelimit-reset"));
      headers.set("x-ratelimit-reset", String(Math.ceil(reset + ahead / 1000)));
      headers.set("date", new Date(Date.parse(headers.get("date") ?? "") + ahead).toUTCString());
      return new Response(await answer.text(), { status: answer.status, headers });
    } finally {
      underWay--;
    }
  };
  const clock = createSimulatedClock({
    busy: () => underWay > 0,
    onJump: async (milliseconds) => {
      ahead += milliseconds;
      const interval = sql.raw(`interval '${milliseconds} milliseconds'`);
      await server.db.execute(sql`update rate_windows set started_at = started_at - ${interval}`);
    },
  });
  const options = { baseUrl: server.url, apiKey: anna.key, fetch };
  const made = Array.from({ length: clients }, () =>
    createTRPCClient<MeRouter>({ links: [createLink<MeRouter>(clock, "v1/me", options)] }),
  );
  return { clients: made, statuses, clock };
}

const refusals = (statuses: readonly number[]) => statuses.filter((status) => status === 429).length;

/**
 * Declares the tests of clients that exhaust their key's quota.
 * @param limit calls per minute of the key
 */
export function testStorms(limit: number): void {
  /** Concurrent calls: five windows' worth. */
  const calls = 5 * limit;
  /** Pages of one item each: more than a window's worth. */
  const pages = Math.ceil(1.2 * limit);

  beforeEach(async () => {
    server = await startTestServer({ rateLimit: limit });
    anna = await server.given.person();
  });
  afterEach(() => server.close());

  test(`429 storm: ${calls} concurrent calls on a key of ${limit} a minute succeed in order and without a refusal`, async () => {
    const meetings = await Promise.all(
      Array.from({ length: 20 }, (_, number) => server.given.meeting(anna, { title: `Number ${number}` })),
    );
    const { clients, statuses, clock } = stage(1);
    const order: number[] = [];
    const started = clock.now();
    const titles = await Promise.all(
      Array.from({ length: calls }, async (_, call) => {
        const { meetingId } = meetings[call % 20] ?? { meetingId: "" };
        const detail = await clients[0]?.meetings.get.query({ meetingId });
        order.push(call);
        return detail?.title;
      }),
    );
    expect(titles).toEqual(Array.from({ length: calls }, (_, call) => `Number ${call % 20}`));
    expect(statuses).toHaveLength(calls + refusals(statuses));
    expect(refusals(statuses)).toBe(0);
    // Windows are served in order: an earlier call is not overtaken by one of a later window.
    expect(order.map((call) => Math.floor(call / limit))).toEqual(
      order.map((call) => Math.floor(call / limit)).toSorted((a, b) => a - b),
    );
    expect(clock.now() - started).toBeLessThan(5 * 61_000);
    console.log(
      `${calls} calls, 1 client: ${refusals(statuses)} refused, ${clock.now() - started} simulated ms`,
    );
  });

  test("429 storm: four processes share one key, and each notices an exhausted window after few refusals", async () => {
    const { clients, statuses, clock } = stage(4);
    const started = clock.now();
    const answers = await Promise.all(
      clients.flatMap((client) => Array.from({ length: calls / 4 }, () => client.tags.list.query())),
    );
    expect(answers).toHaveLength(calls);
    expect(answers.every(({ tags }) => tags.length === 0)).toBe(true);
    console.log(
      `${calls} calls, 4 clients: ${refusals(statuses)} refused, ${clock.now() - started} simulated ms`,
    );
    // A process can't know what the others have sent: at worst, a few calls of each are in flight when a window is
    // exhausted.
    expect(refusals(statuses)).toBeLessThanOrEqual(5 * 4 * 8);
    expect(clock.now() - started).toBeLessThan(6 * 61_000);
  });

  test("429: a write on a key whose quota another process used up waits for the next window, and runs", async () => {
    const { taskIds } = await server.given.meeting(anna, { tasks: [{ text: "Feed the wombat" }] });
    const { clients, statuses } = stage(2);
    await clients[0]?.tags.list.query();
    await server.db.execute(sql`update rate_windows set started_at = now(), count = ${limit}`);
    const change = { taskId: taskIds[0] ?? "", completed: true };
    expect(await clients[1]?.tasks.update.mutate(change)).toEqual(change);
    expect(statuses).toEqual([200, 429, 200]);
  });

  test(`paginate continues across windows: ${pages} pages on a key of ${limit} a minute, every item once`, async () => {
    for (let number = 0; number < pages; number++) await server.given.meeting(anna);
    const { clients, statuses } = stage(1);
    const [client] = clients;
    if (!client) throw new Error("There is no client.");
    const meetings = await paginate(client.meetings.list, { limit: 1 }).toArray();
    expect(new Set(meetings.map(({ id }) => id)).size).toBe(pages);
    expect(meetings).toHaveLength(pages);
    expect(refusals(statuses)).toBe(0);
  });
}
