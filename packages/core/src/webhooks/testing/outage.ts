import { schema } from "@minutes/db";
import { completeMeeting, type WebhookScene } from "@minutes/testing";
import { and, asc, eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import type { Mail } from "../../lib/mailer.js";
import { getWebhook, resumeWebhook, sendTest } from "../index.js";

const { auditLog, deliveries, webhooks } = schema;

/** Size and timeout of a drill. */
interface Drill {
  /** Number of meetings completed while the receiver is down. */
  readonly events: number;
  /** Timeout of each step in ms. */
  readonly timeout: number;
}

/**
 * Takes a receiver down for a simulated day: its webhook is paused, the owner is notified once, and after resuming,
 * everything it missed arrives in order, each once.
 */
export async function runOutageDrill(scene: WebhookScene, { events, timeout }: Drill): Promise<void> {
  const { db } = scene;
  const mails: Mail[] = [];
  let down = true;
  const accepted: string[] = [];
  let refuseOnce = 0;
  const { url, received } = await scene.receiver(({ id }) => {
    if (down || accepted.length === refuseOnce) {
      refuseOnce = 0;
      return 503;
    }
    accepted.push(id);
    return 204;
  });
  const worker = await scene.worker({
    notice: {
      mailer: async (mail) => void mails.push(mail),
      onNotice: () => {},
      onPause: () => {},
    },
  });
  const anna = await scene.given.person();
  const { id } = await scene.personalWebhook(anna, url);
  const ofWebhook = eq(deliveries.webhookId, id);
  const count = (state: "pending" | "held" | "failed" | "delivered") =>
    db.$count(deliveries, and(ofWebhook, eq(deliveries.state, state)));
  const complete = async (number: number) => {
    for (let made = 0; made < number; made++) await completeMeeting(db, anna);
  };
  const paused = async () => (await getWebhook(db, OPERATOR, id)).pausedAt !== null;

  // The day begins: deliveries use up their attempts.
  const early = Math.floor(events / 2);
  await complete(early);
  await expect.poll(() => count("failed"), { timeout }).toBe(early);
  expect(await paused()).toBe(false); // less than a day so far
  await db
    .update(webhooks)
    .set({ failingSince: sql`failing_since - interval '24 hours'` })
    .where(eq(webhooks.id, id));
  await complete(1);
  await expect.poll(paused, { timeout }).toBe(true);
  await expect.poll(() => count("pending"), { timeout }).toBe(0);
  const attempts = received.length;
  await complete(events - early - 1);
  await expect.poll(() => count("pending"), { timeout }).toBe(0);

  // Nothing is sent, and the owner is notified once.
  expect(received).toHaveLength(attempts);
  expect(await getWebhook(db, OPERATOR, id)).toMatchObject({ missed: events });
  // The worker also writes to owners of webhooks that other tests paused.
  const isTold = ({ subject, to }: Mail) => subject.includes("is paused") && to.includes(anna.email);
  await expect.poll(() => mails.filter(isTold).length, { timeout }).toBe(1);
  const told = and(eq(auditLog.object, id), eq(auditLog.action, "webhook.pause"));
  expect(await db.$count(auditLog, told)).toBe(1);

  // A test delivery shows that the receiver works again, but does not resume the webhook.
  down = false;
  refuseOnce = -1;
  const { deliveryId } = await sendTest(db, OPERATOR, id);
  await expect.poll(() => accepted, { timeout }).toEqual([deliveryId]);
  expect(await paused()).toBe(true);

  // One attempt of the replay fails: later deliveries wait for it, and new ones queue behind.
  accepted.length = 0;
  refuseOnce = Math.ceil(events / 3);
  expect(await resumeWebhook(db, OPERATOR, id, { replay: true })).toEqual({ replayed: events });
  await complete(1);
  await expect.poll(() => count("delivered"), { timeout }).toBe(events + 2);
  const all = await db
    .select({ id: sql<string>`${deliveries.id}::text` })
    .from(deliveries)
    .where(and(ofWebhook, sql`meeting_id is not null`))
    .orderBy(asc(deliveries.id));
  expect(accepted).toEqual(all.map((delivery) => delivery.id));
  const replayed = received.slice(attempts + 1);
  expect(replayed).toHaveLength(events + 2); // the new one, and the refused attempt
  expect([await count("held"), await paused()]).toEqual([0, false]);
  expect(mails.filter(isTold)).toHaveLength(1);
  await worker.stop();
}
