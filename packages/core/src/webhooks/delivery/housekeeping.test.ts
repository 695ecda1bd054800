import { schema } from "@minutes/db";
import { completeMeeting, createWebhookScene, type Person, type WebhookScene } from "@minutes/testing";
import { asc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { deleteWebhook } from "../index.js";
import { pullForward, purgeLog } from "./housekeeping.js";

const { attempts, deliveries, webhookEvents, webhooks } = schema;

let scene: WebhookScene;
let anna: Person;
let webhookId: string;
beforeAll(async () => {
  scene = await createWebhookScene();
  anna = await scene.given.person();
  webhookId = (await scene.personalWebhook(anna, "https://127.0.0.1:9/")).id;
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.db.delete(deliveries);
  await scene.db.delete(webhookEvents);
});

/** Creates a delivery of a meeting completed this many days ago, with one attempt. @returns its id */
async function delivery(
  daysAgo: number,
  state: "pending" | "delivered" | "failed" | "skipped" = "delivered",
) {
  const { meetingId } = await completeMeeting(scene.db, anna, { title: `Meeting of day ${daysAgo}` });
  const then = sql`now() - make_interval(secs => ${daysAgo * 86_400}::float8)`;
  const id = schema.toDeliveryId(then);
  await scene.db.update(webhookEvents).set({ createdAt: then }).where(eq(webhookEvents.meetingId, meetingId));
  const [row] = await scene.db
    .update(deliveries)
    .set({ id, createdAt: then, state, ...(state === "pending" ? {} : { finishedAt: then }) })
    .where(eq(deliveries.meetingId, meetingId))
    .returning({ id: deliveries.id });
  if (!row) throw new Error("There is no delivery.");
  await scene.db
    .insert(attempts)
    .values({ deliveryId: row.id, number: 1, startedAt: sql`now()`, milliseconds: 1, status: 500 });
  return { id: row.id, meetingId };
}
const ids = async () =>
  (await scene.db.select({ id: deliveries.id }).from(deliveries).orderBy(asc(deliveries.id))).map(
    ({ id }) => id,
  );
const count = async (table: typeof attempts | typeof webhookEvents) => scene.db.$count(table);

test("finished deliveries older than thirty days are deleted with their attempts and content", async () => {
  const waiting = await delivery(40, "pending");
  const canceled = await delivery(35, "pending");
  await scene.db.delete(schema.meetings).where(eq(schema.meetings.id, canceled.meetingId));
  for (const state of ["delivered", "failed", "skipped"] as const) await delivery(30.01, state);
  const kept = [await delivery(29.99), await delivery(1, "failed"), await delivery(0)];
  await purgeLog(scene.db, 30);
  const left = [waiting, ...kept].map(({ id }) => id);
  expect(await ids()).toEqual(left);
  expect([await count(attempts), await count(webhookEvents)]).toEqual([4, 4]);
  await purgeLog(scene.db, 31);
  expect(await ids()).toEqual(left);
});

test("a worker purges the log when it starts, as configured", async () => {
  const old = await delivery(3);
  const young = await delivery(1);
  const worker = await scene.worker({ logDays: 2, perWebhook: 0 }); // sends nothing
  await expect.poll(ids).not.toContain(old.id);
  expect(await ids()).toContain(young.id);
  await worker.stop();
});

test("one purge deletes more than one batch", async () => {
  await scene.db.execute(sql`insert into deliveries (id, webhook_id, state, created_at)
    select i, ${webhookId}, 'failed', '2025-01-02' from generate_series(1, 2500) i`);
  await purgeLog(scene.db, 60);
  expect((await ids()).filter((id) => id <= 2500n)).toEqual([]);
});

test("a delivery and an event of a clock that was 40 days ahead are due within a minute, others as planned", async () => {
  const [ahead, planned] = [await delivery(0, "pending"), await delivery(0, "pending")];
  const dueIn = (id: bigint, seconds: number) =>
    scene.db
      .update(deliveries)
      .set({ dueAt: sql`now() + make_interval(secs => ${seconds})` })
      .where(eq(deliveries.id, id));
  await dueIn(ahead.id, 40 * 86_400);
  await dueIn(planned.id, 3_600);
  await scene.db
    .update(webhookEvents)
    .set({ data: null, createdAt: sql`now() + interval '40 days'` })
    .where(eq(webhookEvents.meetingId, planned.meetingId));
  await pullForward(scene.db, 3_600);
  const isDueIn = (id: bigint, seconds: number) =>
    scene.db.$count(
      deliveries,
      sql`${deliveries.id} = ${id} and ${deliveries.dueAt} <= now() + make_interval(secs => ${seconds})`,
    );
  expect(await isDueIn(ahead.id, 60)).toBe(1);
  expect(await isDueIn(planned.id, 60)).toBe(0);
  expect(await scene.db.$count(webhookEvents, sql`${webhookEvents.createdAt} > now()`)).toBe(0);
});

test("a deleted webhook remains while the log has its deliveries, and for at least thirty days", async () => {
  const { id: webhookId } = await scene.personalWebhook(anna, "https://127.0.0.1:9/gone");
  const gone = async () => {
    const [row] = await scene.db.select().from(webhooks).where(eq(webhooks.id, webhookId));
    return row === undefined;
  };
  await deleteWebhook(scene.db, OPERATOR, webhookId);
  await scene.db.delete(deliveries);
  await purgeLog(scene.db, 30);
  expect(await gone()).toBe(false);
  await scene.db
    .update(webhooks)
    .set({ deletedAt: sql`now() - interval '31 days'` })
    .where(eq(webhooks.id, webhookId));
  await scene.db.insert(deliveries).values({ webhookId, state: "skipped" });
  await purgeLog(scene.db, 30);
  expect(await gone()).toBe(false);
  await scene.db.delete(deliveries);
  await purgeLog(scene.db, 30);
  expect(await gone()).toBe(true);
});
