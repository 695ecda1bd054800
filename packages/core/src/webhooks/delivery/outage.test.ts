import { schema } from "@minutes/db";
import { asUser, completeMeeting, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { deleteMeeting } from "../../meetings/index.js";
import { disableWebhook, enableWebhook, getWebhook, redeliverFailed, resumeWebhook } from "../index.js";
import { runOutageDrill } from "../testing/outage.js";
import { purgeLog } from "./housekeeping.js";

const { deliveries, webhookEvents, webhooks } = schema;

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(() => scene.close());

test("a receiver that is down for a day gets everything it missed in order, each once", async () => {
  await runOutageDrill(scene, { events: 20, timeout: 120_000 });
});

/** Creates a paused webhook that missed two meetings. */
async function pausedWebhook() {
  const anna = await scene.given.person();
  const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/");
  await scene.db
    .update(webhooks)
    .set({ pausedAt: sql`now()`, failingSince: sql`now() - interval '1 day'`, failures: 10 })
    .where(eq(webhooks.id, id));
  const meetingIds = [await completeMeeting(scene.db, anna), await completeMeeting(scene.db, anna)].map(
    ({ meetingId }) => meetingId,
  );
  expect(await scene.states(id)).toEqual(["held", "held"]);
  return { id, anna, meetingIds };
}
const pausedFacts = async (id: string) => {
  const { pausedAt, missed } = await getWebhook(scene.db, OPERATOR, id);
  return { paused: pausedAt !== null, missed };
};

test("without a replay held deliveries are skipped, and new ones are sent", async () => {
  const { id, anna } = await pausedWebhook();
  expect(await pausedFacts(id)).toEqual({ paused: true, missed: 2 });
  expect(await resumeWebhook(scene.db, OPERATOR, id, { replay: false })).toEqual({ replayed: 0 });
  await completeMeeting(scene.db, anna);
  expect(await scene.states(id)).toEqual(["pending", "skipped", "skipped"]);
  expect(await pausedFacts(id)).toEqual({ paused: false, missed: 0 });
});

test("409: resuming a webhook that is not paused, and redelivering while it is", async () => {
  const { id } = await pausedWebhook();
  const range = { from: "2020-01-01T00:00:00.000Z", to: "2999-01-01T00:00:00.000Z" };
  await expect(redeliverFailed(scene.db, OPERATOR, id, range)).rejects.toThrow("This webhook is paused.");
  await resumeWebhook(scene.db, OPERATOR, id, { replay: true });
  await expect(resumeWebhook(scene.db, OPERATOR, id, { replay: true })).rejects.toThrow("is not paused.");
});

test("a held delivery is canceled and its payload erased with its meeting, and purged with the log", async () => {
  const { id, anna, meetingIds } = await pausedWebhook();
  const [first = "", second = ""] = meetingIds;
  await deleteMeeting(scene.db, asUser(anna.userId), first);
  expect(await scene.states(id)).toEqual(["held", "canceled"]);
  expect(await pausedFacts(id)).toEqual({ paused: true, missed: 1 });
  await scene.db
    .update(deliveries)
    .set({ createdAt: sql`now() - interval '31 days'`, id: sql`id - (31::bigint * 86400000 << 22)` })
    .where(eq(deliveries.webhookId, id));
  await scene.db
    .update(webhookEvents)
    .set({ createdAt: sql`now() - interval '31 days'` })
    .where(eq(webhookEvents.meetingId, second));
  await purgeLog(scene.db, 30);
  expect(await scene.states(id)).toEqual([]);
  expect(await scene.db.$count(webhookEvents, eq(webhookEvents.meetingId, second))).toBe(0);
});

test("disabling a paused webhook skips its held deliveries; enabling an enabled one drops nothing", async () => {
  const { id } = await pausedWebhook();
  await enableWebhook(scene.db, OPERATOR, id); // already enabled
  expect(await pausedFacts(id)).toEqual({ paused: true, missed: 2 });
  await disableWebhook(scene.db, OPERATOR, id);
  await enableWebhook(scene.db, OPERATOR, id);
  expect(await scene.states(id)).toEqual(["skipped", "skipped"]);
  expect(await pausedFacts(id)).toEqual({ paused: false, missed: 0 });
});

test("consecutive failures are counted over all deliveries, and a success resets the count", async () => {
  let down = true;
  const { url, received } = await scene.receiver(() => (down ? 500 : 204));
  const pause = { failures: 6, hours: 0 };
  const worker = await scene.worker({ pause });
  const anna = await scene.given.person();
  const { id } = await scene.personalWebhook(anna, url);
  const failing = async () => {
    const [row] = await scene.db.select().from(webhooks).where(eq(webhooks.id, id));
    return [row?.failures, row?.failingSince !== null, row?.pausedAt !== null];
  };
  await completeMeeting(scene.db, anna);
  await expect.poll(() => scene.states(id)).toEqual(["failed"]);
  expect(await failing()).toEqual([5, true, false]);
  down = false;
  await completeMeeting(scene.db, anna);
  await expect.poll(failing).toEqual([0, false, false]);
  down = true;
  await completeMeeting(scene.db, anna);
  await expect.poll(failing).toEqual([5, true, false]);
  await worker.stop();
  // The next attempt is due long after the webhook is paused.
  const slowWorker = await scene.worker({ pause, retryDelays: [60, 60, 60, 60] });
  await completeMeeting(scene.db, anna);
  await expect.poll(failing).toEqual([6, true, true]);
  expect((await scene.states(id))[0]).toBe("held");
  expect(received).toHaveLength(12);
  await slowWorker.stop();
});
