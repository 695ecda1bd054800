import { setTimeout as pause } from "node:timers/promises";
import { schema } from "@minutes/db";
import { createWebhookScene, type WebhookScene } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { disableWebhook, enableWebhook, getDelivery, redeliver, sendTest } from "../index.js";
import { type ClaimedDelivery, claimDeliveries, getMillisecondsUntilDue, renewDeliveries } from "./claim.js";
import { recordAttempts } from "./record-attempts.js";

const { deliveries } = schema;

let scene: WebhookScene;
let webhookId: string;
beforeAll(async () => {
  scene = await createWebhookScene();
  webhookId = (await scene.personalWebhook(await scene.given.person(), "https://127.0.0.1:9/")).id;
});
afterEach(() => scene.db.delete(deliveries));
afterAll(() => scene.close());

const pausePolicy = { failures: 10, hours: 24 };
const limits = { deliveries: 10, bytes: 1_000_000, perWebhook: 8, sending: {} };
/** Claims after a moment, because `now()` is stored rounded to ms and can be half of one ahead. */
async function claim(claimed: Partial<typeof limits> = {}) {
  await pause(2);
  return claimDeliveries(scene.db, { ...limits, ...claimed }, 15);
}
const endLeases = () => scene.db.update(deliveries).set({ dueAt: sql`now() - interval '1 second'` });
const logOf = ({ id }: ClaimedDelivery) => getDelivery(scene.db, OPERATOR, id);
/** Claims one delivery twice: by a worker whose lease expires, and by another one. */
async function claimTwice(): Promise<[ClaimedDelivery, ClaimedDelivery]> {
  await sendTest(scene.db, OPERATOR, webhookId);
  const [dead] = await claim();
  expect(await claim()).toEqual([]); // its lease is active
  await endLeases();
  const [living] = await claim();
  if (!dead || !living) throw new Error("Nothing was claimed.");
  expect(living).toEqual({ ...dead, claims: dead.claims + 1 });
  return [dead, living];
}
const attemptResult = (
  { id, claims }: ClaimedDelivery,
  error: "status" | null,
  nextAttemptIn: number | null = 60,
) => ({
  ...{ id, claims, error, nextAttemptIn },
  ...{ status: error === null ? 200 : 500, milliseconds: 5 },
});

test("a late result of a worker whose lease expired is dropped, before and after the other worker's result", async () => {
  const [dead, living] = await claimTwice();
  expect(await recordAttempts(scene.db, [attemptResult(dead, "status", null)], pausePolicy)).toEqual([]);
  expect(await logOf(living)).toMatchObject({ state: "pending", attempts: [] });
  await recordAttempts(scene.db, [attemptResult(living, null)], pausePolicy);
  await recordAttempts(scene.db, [attemptResult(dead, "status")], pausePolicy);
  expect(await logOf(living)).toMatchObject({ state: "delivered", attempts: [{ number: 1, status: 200 }] });
});

test("a worker whose lease expired neither renews nor releases the delivery", async () => {
  const [dead, living] = await claimTwice();
  await renewDeliveries(scene.db, [dead], 0);
  expect(await claim()).toEqual([]);
  await renewDeliveries(scene.db, [living], 0);
  expect(await claim()).toHaveLength(1);
});

test("a renewal after the result does not move the next attempt", async () => {
  await sendTest(scene.db, OPERATOR, webhookId);
  const [claimed] = await claim();
  if (!claimed) throw new Error("Nothing was claimed.");
  await recordAttempts(scene.db, [attemptResult(claimed, "status", 0)], pausePolicy);
  await renewDeliveries(scene.db, [claimed], 15);
  expect(await claim()).toHaveLength(1);
});

test("a worker that dies after its claim uses up no attempt", async () => {
  await sendTest(scene.db, OPERATOR, webhookId);
  for (let death = 0; death < 6; death++) {
    expect(await claim()).toHaveLength(1);
    await endLeases();
  }
  const [seventh] = await claim();
  expect(seventh).toMatchObject({ claims: 7, attemptsSinceRedelivery: 0 });
});

test("the log shows an attempt together with its delivery's new state", async () => {
  for (let turn = 0; turn < 20; turn++) {
    await sendTest(scene.db, OPERATOR, webhookId);
    const [delivery] = await claim();
    if (!delivery) throw new Error("Nothing was claimed.");
    const [, ...logs] = await Promise.all([
      recordAttempts(scene.db, [attemptResult(delivery, null)], pausePolicy),
      ...Array.from({ length: 8 }, () => logOf(delivery)),
    ]);
    for (const { state, attempts } of logs) expect(attempts).toHaveLength(state === "delivered" ? 1 : 0);
  }
});

test("a late result from before a redelivery is dropped", async () => {
  await sendTest(scene.db, OPERATOR, webhookId);
  const [before] = await claim();
  if (!before) throw new Error("Nothing was claimed.");
  await disableWebhook(scene.db, OPERATOR, webhookId);
  await enableWebhook(scene.db, OPERATOR, webhookId);
  await redeliver(scene.db, OPERATOR, before.id);
  await recordAttempts(scene.db, [attemptResult(before, null)], pausePolicy);
  expect(await logOf(before)).toMatchObject({ state: "pending", attempts: [] });
});

test("a delivery whose meeting was deleted is neither due nor claimed", async () => {
  await sendTest(scene.db, OPERATOR, webhookId);
  expect(await getMillisecondsUntilDue(scene.db, limits)).toBeLessThanOrEqual(0);
  await scene.db.delete(schema.webhookEvents);
  expect(await getMillisecondsUntilDue(scene.db, limits)).toBeNull();
  expect(await claim()).toEqual([]);
});

test("a claim takes at most a webhook's share, including deliveries being sent", async () => {
  for (let n = 0; n < 12; n++) await sendTest(scene.db, OPERATOR, webhookId);
  expect(await claim({ sending: { [webhookId]: 5 } })).toHaveLength(3);
  expect(await claim({ sending: { [webhookId]: 8 } })).toEqual([]);
  expect(await claim({ deliveries: 2 })).toHaveLength(2);
});

test("a claim takes at most its limit of bytes, but always one delivery", async () => {
  for (let n = 0; n < 5; n++) await sendTest(scene.db, OPERATOR, webhookId);
  const [one] = await claim({ deliveries: 1 });
  const size = one?.data.length ?? 0;
  expect(await claim({ bytes: 1 })).toHaveLength(1);
  expect(await claim({ bytes: 2 * size - 100 })).toHaveLength(2);
  expect(await claim()).toHaveLength(1);
});

test("a worker renews the lease of a delivery that takes longer than the lease", async () => {
  const read = async () => (await scene.db.select().from(deliveries))[0];
  const slow = await scene.receiver((_got, _request, response) => {
    void (async () => {
      const claimed = await read();
      await expect.poll(async () => (await read())?.dueAt).not.toEqual(claimed?.dueAt);
      response.writeHead(204).end();
    })();
    return undefined;
  });
  const { id } = await scene.personalWebhook(await scene.given.person(), slow.url);
  const workers = [await scene.worker({ lease: 5 }), await scene.worker({ lease: 5 })];
  await sendTest(scene.db, OPERATOR, id);
  await expect.poll(async () => (await read())?.state).toBe("delivered");
  expect(slow.received).toHaveLength(1);
  await Promise.all(workers.map((worker) => worker.stop()));
});
