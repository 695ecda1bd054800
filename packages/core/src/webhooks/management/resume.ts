import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, isNotNull, or, type SQL, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Manager } from "../../access/callers.js";
import { notifyWorkers } from "../../events/index.js";
import { ApiError } from "../../lib/errors.js";
import { lockManagedWebhook } from "./access.js";

const { deliveries, webhooks } = schema;

/** Condition for deliveries missed by a paused webhook: those held, and those that failed since its failures began. */
export const isMissed: SQL = and(
  isNotNull(deliveries.eventId),
  or(
    eq(deliveries.state, "held"),
    and(
      eq(deliveries.state, "failed"),
      sql`${deliveries.finishedAt} >= (select w.failing_since from ${webhooks} w where w.id = ${deliveries.webhookId})`,
    ),
  ),
) as SQL;

/**
 * Resumes a paused webhook.
 * @param options.replay true sends missed deliveries one by one, oldest first, before new ones; false skips held ones
 * @returns the number of deliveries to send again
 * @see docs/decisions/0040-delivery-queue.md
 * @throws ApiError 404, 403 unless the caller manages the webhook, 409 if it is not paused
 */
export async function resumeWebhook(
  db: Database,
  caller: Manager,
  webhookId: string,
  { replay }: { readonly replay: boolean },
): Promise<{ replayed: number }> {
  return db.transaction(async (tx) => {
    const { pausedAt } = await lockManagedWebhook(tx, caller, webhookId);
    if (pausedAt === null) throw new ApiError("CONFLICT", MESSAGES.webhookNotPaused);
    const ours = eq(deliveries.webhookId, webhookId);
    const missed = await tx
      .update(deliveries)
      .set(
        replay
          ? // Increments the fencing token, so that a late result of an earlier attempt is dropped.
            { state: "held", finishedAt: null, claims: sql`${deliveries.claims} + 1` }
          : { state: "skipped", finishedAt: sql`now()` },
      )
      .where(and(ours, replay ? isMissed : eq(deliveries.state, "held")))
      .returning({ id: deliveries.id });
    await tx
      .update(webhooks)
      .set({ pausedAt: null, failingSince: null, failures: 0, updatedAt: sql`now()` })
      .where(eq(webhooks.id, webhookId));
    await audit(tx, caller, "webhook.resume", webhookId);
    await tx.execute(sql`select ${notifyWorkers}`);
    return { replayed: replay ? missed.length : 0 };
  });
}
