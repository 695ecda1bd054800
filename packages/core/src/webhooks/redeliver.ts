import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, gte, isNotNull, lte, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { heldWebhook } from "./access.js";
import { wakeWorkers } from "./enqueue.js";

const { deliveries } = schema;

/**
 * Sends a delivery that is finished once more, with the same id and body and a full set of attempts.
 * @throws ApiError 404, 403 unless the actor manages the webhook, 409 while it is pending, when its webhook is
 *   disabled, or when its content is gone.
 */
export async function redeliver(db: Database, actor: Actor, deliveryId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const id = eq(deliveries.id, BigInt(deliveryId));
    const [found] = await tx.select({ webhookId: deliveries.webhookId }).from(deliveries).where(id);
    if (!found) throw new ApiError("NOT_FOUND", MESSAGES.deliveryNotFound);
    await requireEnabled(tx, actor, found.webhookId, MESSAGES.deliveryNotFound);
    const [delivery] = await tx
      .select({ state: deliveries.state, eventId: deliveries.eventId })
      .from(deliveries)
      .where(id)
      .for("update");
    if (!delivery || delivery.eventId === null)
      throw new ApiError("CONFLICT", MESSAGES.deliveryWithoutContent);
    if (delivery.state === "pending") throw new ApiError("CONFLICT", MESSAGES.deliveryPending);
    await tx.update(deliveries).set(anew).where(id);
    await audit(tx, actor, "delivery.redeliver", deliveryId);
    await tx.execute(sql`select ${wakeWorkers}`);
  });
}

/**
 * Sends all failed deliveries of a webhook that were created in a range of time once more.
 * @param range instants, both ends included.
 * @returns how many.
 * @throws ApiError 404, 403 unless the actor manages the webhook, 409 when it is disabled.
 */
export async function redeliverFailed(
  db: Database,
  actor: Actor,
  webhookId: string,
  range: { from: string; to: string },
): Promise<{ redelivered: number }> {
  return db.transaction(async (tx) => {
    await requireEnabled(tx, actor, webhookId);
    const again = await tx
      .update(deliveries)
      .set(anew)
      .where(
        and(
          eq(deliveries.webhookId, webhookId),
          eq(deliveries.state, "failed"),
          isNotNull(deliveries.eventId),
          gte(deliveries.createdAt, range.from),
          lte(deliveries.createdAt, range.to),
        ),
      )
      .returning({ id: deliveries.id });
    await audit(tx, actor, "webhook.redeliver", webhookId);
    if (again.length > 0) await tx.execute(sql`select ${wakeWorkers}`);
    return { redelivered: again.length };
  });
}

/** The claim counts up, so that what an attempt of before still brings is dropped. */
const anew = {
  state: "pending",
  dueAt: sql`now()`,
  round: 0,
  finishedAt: null,
  claims: sql`${deliveries.claims} + 1`,
} as const;

async function requireEnabled(
  tx: Database,
  actor: Actor,
  webhookId: string,
  unknown?: string,
): Promise<void> {
  const webhook = await heldWebhook(tx, actor, webhookId, unknown);
  if (webhook.disabledAt !== null) throw new ApiError("CONFLICT", MESSAGES.webhookDisabled);
}
