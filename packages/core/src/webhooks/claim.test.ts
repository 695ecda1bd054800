import { setTimeout as pause } from "node:timers/promises";
import { schema } from "@minutes/db";
import { type Receiver, type WebhookScene, webhookReceiver, webhookScene } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { OPERATOR } from "../actor.js";
import { type Claim, claimDeliveries, extendLeases, settle, untilDue } from "./claim.js";
import { disableWebhook, enableWebhook, getDelivery, redeliver, sendTest } from "./index.js";

const { deliveries } = schema;

let scene: WebhookScene;
let webhookId: string;
beforeAll(async () => {
  scene = await webhookScene();
  webhookId = (await scene.personalWebhook(await scene.given.person(), "https://127.0.0.1:9/")).id;
});
afterEach(() => scene.db.delete(deliveries));
afterAll(() => scene.close());

const room = { slots: 10, bytes: 1_000_000, perWebhook: 8, busy: {} };
/** Claims after a moment, since `now()` is kept rounded to milliseconds and may lie half of one ahead. */
async function claim(claimed: Partial<typeof room> = {}) {
  await pause(2);
  return claimDeliveries(scene.db, { ...room, ...claimed }, 15);
}
const leaseEnds = () => scene.db.update(deliveries).set({ dueAt: sql`now()` });
const logOf = ({ id }: Claim) => getDelivery(scene.db, OPERATOR, id);
/** One delivery, claimed by a worker that is then taken for dead, and claimed by another. */
async function claimedTwice(): Promise<[Claim, Claim]> {
  await sendTest(scene.db, OPERATOR, webhookId);
  const [dead] = await claim();
  expect(await claim()).toEqual([]); // it is held
  await leaseEnds();
  const [living] = await claim();
  if (!dead || !living) throw new Error("Nothing was claimed.");
  expect(living).toEqual({ ...dead, claims: dead.claims + 1 });
  return [dead, living];
}
const ended = ({ id, claims }: Claim, error: "status" | null, retryAfter: number | null = 60) => ({
  ...{ id, claims, error, retryAfter },
  ...{ status: error === null ? 200 : 500, milliseconds: 5 },
});

test("the result of a worker that was taken for dead is dropped, whenever it comes", async () => {
  const [dead, living] = await claimedTwice();
  expect(await settle(scene.db, [ended(dead, "status", null)])).toEqual([]);
  expect(await logOf(living)).toMatchObject({ state: "pending", attempts: [] });
  await settle(scene.db, [ended(living, null)]);
  await settle(scene.db, [ended(dead, "status")]);
  expect(await logOf(living)).toMatchObject({ state: "delivered", attempts: [{ number: 1, status: 200 }] });
});

test("a worker that was taken for dead prolongs and gives back nothing", async () => {
  const [dead, living] = await claimedTwice();
  await extendLeases(scene.db, [dead], 0);
  expect(await claim()).toEqual([]);
  await extendLeases(scene.db, [living], 0);
  expect(await claim()).toHaveLength(1);
});

test("a claim alone is no attempt: a worker that dies again and again uses up none", async () => {
  await sendTest(scene.db, OPERATOR, webhookId);
  for (let death = 0; death < 6; death++) {
    expect(await claim()).toHaveLength(1);
    await leaseEnds();
  }
  const [seventh] = await claim();
  expect(seventh).toMatchObject({ claims: 7, round: 0 });
});

test("a log that is read while an attempt ends shows the attempt and what came of it, or neither", async () => {
  for (let turn = 0; turn < 20; turn++) {
    await sendTest(scene.db, OPERATOR, webhookId);
    const [delivery] = await claim();
    if (!delivery) throw new Error("Nothing was claimed.");
    const [, ...logs] = await Promise.all([
      settle(scene.db, [ended(delivery, null)]),
      ...Array.from({ length: 8 }, () => logOf(delivery)),
    ]);
    for (const { state, attempts } of logs) expect(attempts).toHaveLength(state === "delivered" ? 1 : 0);
  }
});

test("what an attempt of before a redelivery brings is dropped", async () => {
  await sendTest(scene.db, OPERATOR, webhookId);
  const [before] = await claim();
  if (!before) throw new Error("Nothing was claimed.");
  await disableWebhook(scene.db, OPERATOR, webhookId);
  await enableWebhook(scene.db, OPERATOR, webhookId);
  await redeliver(scene.db, OPERATOR, before.id);
  await settle(scene.db, [ended(before, null)]);
  expect(await logOf(before)).toMatchObject({ state: "pending", attempts: [] });
});

test("nobody is kept awake by a delivery whose meeting was deleted", async () => {
  await sendTest(scene.db, OPERATOR, webhookId);
  expect(await untilDue(scene.db, room)).toBeLessThanOrEqual(0);
  await scene.db.delete(schema.webhookEvents);
  expect(await untilDue(scene.db, room)).toBeNull();
  expect(await claim()).toEqual([]);
});

test("a claim takes no more of a webhook than its share, what is under way included", async () => {
  for (let n = 0; n < 12; n++) await sendTest(scene.db, OPERATOR, webhookId);
  expect(await claim({ busy: { [webhookId]: 5 } })).toHaveLength(3);
  expect(await claim({ busy: { [webhookId]: 8 } })).toEqual([]);
  expect(await claim({ slots: 2 })).toHaveLength(2);
});

test("a claim takes no more content than there is room for, but always one delivery", async () => {
  for (let n = 0; n < 5; n++) await sendTest(scene.db, OPERATOR, webhookId);
  const [one] = await claim({ slots: 1 });
  const size = one?.data.length ?? 0;
  expect(await claim({ bytes: 1 })).toHaveLength(1);
  expect(await claim({ bytes: 2 * size - 100 })).toHaveLength(2);
  expect(await claim()).toHaveLength(1);
});

test("a worker that lives keeps what it is sending for longer than a lease", async () => {
  const answer: Parameters<typeof webhookReceiver>[1] = (_got, _request, response) => {
    setTimeout(() => response.writeHead(204).end(), 2_500);
    return undefined;
  };
  const slow: Receiver = await webhookReceiver(await scene.ca.issue(), answer);
  const { id } = await scene.personalWebhook(await scene.given.person(), slow.url);
  const workers = [await scene.worker({ lease: 0.9 }), await scene.worker({ lease: 0.9 })];
  const { deliveryId } = await sendTest(scene.db, OPERATOR, id);
  const state = async () =>
    (
      await scene.db
        .select()
        .from(deliveries)
        .where(eq(deliveries.id, BigInt(deliveryId)))
    )[0]?.state;
  await expect.poll(state).toBe("delivered");
  expect(slow.received).toHaveLength(1);
  await Promise.all(workers.map((worker) => worker.stop()));
  await slow.close();
});
