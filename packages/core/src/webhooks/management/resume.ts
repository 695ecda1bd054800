import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, isNotNull, or, type SQL, sql } from "drizzle-orm";
import type { Actor } from "../../actor.js";
import { audit } from "../../audit.js";
import { ApiError } from "../../errors.js";
import { notifyWorkers } from "../../events/index.js";
import { lockManagedWebhook } from "./access.js";

const { deliveries, webhooks } = schema;

/** True for deliveries that a paused webhook missed: those that are held, and those that failed since it fails. */
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
 * @param options.replay true sends what was missed, one after another, oldest first, before anything new; false skips
 *   what was held.
 * @returns how many deliveries are sent again.
 * @see docs/decisions/0167-catch-up-in-order.md
 * @throws ApiError 404, 403 unless the actor manages the webhook, 409 when it is not paused.
 */
export async function resumeWebhook(
  db: Database,
  actor: Actor,
  webhookId: string,
  { replay }: { readonly replay: boolean },
): Promise<{ replayed: number }> {
  return db.transaction(async (tx) => {
    const { pausedAt } = await lockManagedWebhook(tx, actor, webhookId);
    if (pausedAt === null) throw new ApiError("CONFLICT", MESSAGES.webhookNotPaused);
    const ours = eq(deliveries.webhookId, webhookId);
    const missed = await tx
      .update(deliveries)
      .set(
        replay
          ? // The fencing token goes up, so that a late result of an earlier attempt is dropped.
            { state: "held", finishedAt: null, claims: sql`${deliveries.claims} + 1` }
          : { state: "skipped", finishedAt: sql`now()` },
      )
      .where(and(ours, replay ? isMissed : eq(deliveries.state, "held")))
      .returning({ id: deliveries.id });
    await tx
      .update(webhooks)
      .set({ pausedAt: null, failingSince: null, failures: 0, updatedAt: sql`now()` })
      .where(eq(webhooks.id, webhookId));
    await audit(tx, actor, "webhook.resume", webhookId);
    await tx.execute(sql`select ${notifyWorkers}`);
    return { replayed: replay ? missed.length : 0 };
  });
}
