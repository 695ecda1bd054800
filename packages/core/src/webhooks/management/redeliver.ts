import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, gte, isNotNull, lte, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Manager } from "../../access/callers.js";
import { notifyWorkers } from "../../events/index.js";
import { ApiError } from "../../lib/errors.js";
import { lockManagedWebhook } from "./access.js";

const { deliveries } = schema;

/**
 * Redelivers a finished delivery, with the same id and body and a full set of attempts.
 * @throws ApiError 404, 403 unless the caller manages the webhook, 409 if the delivery is pending, its webhook is
 * disabled, or its content was deleted
 */
export async function redeliver(db: Database, caller: Manager, deliveryId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const id = eq(deliveries.id, BigInt(deliveryId));
    const [found] = await tx.select({ webhookId: deliveries.webhookId }).from(deliveries).where(id);
    if (!found) throw new ApiError("NOT_FOUND", MESSAGES.deliveryNotFound);
    await lockEnabledWebhook(tx, caller, found.webhookId, MESSAGES.deliveryNotFound);
    const [delivery] = await tx
      .select({ state: deliveries.state, eventId: deliveries.eventId })
      .from(deliveries)
      .where(id)
      .for("update");
    if (!delivery || delivery.eventId === null)
      throw new ApiError("CONFLICT", MESSAGES.deliveryWithoutContent);
    if (delivery.state === "pending" || delivery.state === "held")
      throw new ApiError("CONFLICT", MESSAGES.deliveryPending);
    await tx.update(deliveries).set(redeliveryReset).where(id);
    await audit(tx, caller, "delivery.redeliver", deliveryId);
    await tx.execute(sql`select ${notifyWorkers}`);
  });
}

/**
 * Redelivers all failed deliveries of a webhook created in a time range.
 * @param range instants, both ends included
 * @returns the number of redelivered deliveries
 * @throws ApiError 404, 403 unless the caller manages the webhook, 409 if it is disabled
 */
export async function redeliverFailed(
  db: Database,
  caller: Manager,
  webhookId: string,
  range: { from: string; to: string },
): Promise<{ redelivered: number }> {
  return db.transaction(async (tx) => {
    await lockEnabledWebhook(tx, caller, webhookId);
    const reset = await tx
      .update(deliveries)
      .set(redeliveryReset)
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
    await audit(tx, caller, "webhook.redeliver", webhookId);
    if (reset.length > 0) await tx.execute(sql`select ${notifyWorkers}`);
    return { redelivered: reset.length };
  });
}

/** Increments the fencing token, so that a late result of an earlier attempt is dropped. */
const redeliveryReset = {
  state: "pending",
  dueAt: sql`now()`,
  attemptsSinceRedelivery: 0,
  finishedAt: null,
  claims: sql`${deliveries.claims} + 1`,
} as const;

async function lockEnabledWebhook(
  tx: Database,
  caller: Manager,
  webhookId: string,
  notFound?: string,
): Promise<void> {
  const webhook = await lockManagedWebhook(tx, caller, webhookId, notFound);
  if (webhook.disabledAt !== null) throw new ApiError("CONFLICT", MESSAGES.webhookDisabled);
  if (webhook.pausedAt !== null) throw new ApiError("CONFLICT", MESSAGES.webhookPaused);
}
