import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, gt, isNull, lte, or, sql } from "drizzle-orm";
import type { Mailer } from "../../lib/mailer.js";
import { listHolderAddresses } from "../../workspaces/index.js";
import type { DeliveryReference } from "./record-attempts.js";

const { webhooks } = schema;

/** How failures are reported: by e-mail, or only in the log if no mail server is configured. */
export interface FailureNotice {
  /** Null: only `onNotice` is called. */
  readonly mailer: Mailer | null;
  /** Writes to the log. Receives only ids, no content and no e-mail address. */
  readonly onNotice: (failed: DeliveryReference, sent: boolean) => void;
  /** Logs that a webhook was paused. */
  readonly onPause: (webhookId: string, sent: boolean) => void;
}

/**
 * Reports that a delivery has used up its attempts, at most once an hour per webhook across workers. Claims the hourly
 * slot in the database before sending the e-mail, and frees it if sending fails.
 * @see docs/specification.md#events
 */
export async function notifyFailure(
  db: Database,
  notice: Pick<FailureNotice, "mailer" | "onNotice">,
  failed: DeliveryReference,
): Promise<void> {
  const { webhookId } = failed;
  const hours = sql`make_interval(hours => ${LIMITS.webhookFailureMailHours}::int)`;
  const [webhook] = await db
    .update(webhooks)
    .set({ failureMailAt: sql`clock_timestamp()` })
    .where(
      and(
        eq(webhooks.id, webhookId),
        isNull(webhooks.deletedAt),
        or(
          isNull(webhooks.failureMailAt),
          lte(webhooks.failureMailAt, sql`clock_timestamp() - ${hours}`),
          // Written by a clock that was ahead.
          gt(webhooks.failureMailAt, sql`clock_timestamp() + ${hours}`),
        ),
      ),
    )
    .returning({
      name: webhooks.name,
      url: webhooks.url,
      userId: webhooks.userId,
      workspaceId: webhooks.workspaceId,
      slot: webhooks.failureMailAt,
    });
  if (!webhook) return;
  if (!notice.mailer) return notice.onNotice(failed, false);
  try {
    const to = await listHolderAddresses(db, webhook);
    await notice.mailer({ to, ...writeFailureMail(webhook, failed) });
    notice.onNotice(failed, true);
  } catch (error) {
    await db
      .update(webhooks)
      .set({ failureMailAt: null })
      .where(and(eq(webhooks.id, webhookId), eq(webhooks.failureMailAt, webhook.slot ?? "")));
    throw error;
  }
}

/** Writes the e-mail. It contains only the host of the URL, because the rest can be secret, and no content. */
function writeFailureMail(
  webhook: { name: string; url: string },
  { webhookId, deliveryId }: DeliveryReference,
) {
  const { host } = new URL(webhook.url);
  return {
    subject: `Webhook "${webhook.name}" could not be delivered`,
    text: [
      `A delivery to your webhook "${webhook.name}" at ${host} failed ${LIMITS.webhookAttempts} times and is not retried.`,
      "",
      `Webhook:  ${webhookId}`,
      `Delivery: ${deliveryId}`,
      "",
      "The delivery log has the details. Once the receiver works again, you can redeliver failed deliveries from there.",
      "You get at most one such message per hour and webhook, however many deliveries fail.",
      "",
    ].join("\n"),
  };
}
