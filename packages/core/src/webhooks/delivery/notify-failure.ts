import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, isNull, lte, or, sql } from "drizzle-orm";
import type { Mailer } from "../../mailer.js";
import { listHolderAddresses } from "../../workspaces/index.js";
import type { DeliveryReference } from "./record-attempts.js";

const { webhooks } = schema;

/** How people learn of a failure: by e-mail, or from the log where no mail server is configured. */
export interface FailureNotice {
  /** Null: only `onNotice` is called. */
  readonly mailer: Mailer | null;
  /** Writes to the log. Gets ids alone, no content and no e-mail address. */
  readonly onNotice: (failed: DeliveryReference, sent: boolean) => void;
  /** Writes to the log that a webhook was paused. */
  readonly onPause: (webhookId: string, sent: boolean) => void;
}

/**
 * Reports that a delivery has used up its attempts, at most once an hour for a webhook over all workers. Takes the hour's
 * slot in the database before the mail is sent, and frees it when the mail can't be sent.
 * @see docs/specification.md#events
 */
export async function notifyFailure(
  db: Database,
  notice: Pick<FailureNotice, "mailer" | "onNotice">,
  failed: DeliveryReference,
): Promise<void> {
  const { webhookId } = failed;
  const [webhook] = await db
    .update(webhooks)
    .set({ failureMailAt: sql`clock_timestamp()` })
    .where(
      and(
        eq(webhooks.id, webhookId),
        isNull(webhooks.deletedAt),
        or(
          isNull(webhooks.failureMailAt),
          lte(
            webhooks.failureMailAt,
            sql`clock_timestamp() - make_interval(hours => ${LIMITS.webhookFailureMailHours}::int)`,
          ),
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

/** Writes the e-mail. It has only the host of the address, since the rest can hold a secret, and no content. */
function writeFailureMail(
  webhook: { name: string; url: string },
  { webhookId, deliveryId }: DeliveryReference,
) {
  const { host } = new URL(webhook.url);
  return {
    subject: `Webhook "${webhook.name}" could not be delivered`,
    text: [
      `A delivery to your webhook "${webhook.name}" at ${host} failed ${LIMITS.webhookAttempts} times and is not tried again.`,
      "",
      `Webhook:  ${webhookId}`,
      `Delivery: ${deliveryId}`,
      "",
      "The delivery log says what happened. Once the receiver works again, failed deliveries can be sent again from there.",
      "You get at most one such message per hour for a webhook, however many deliveries fail.",
      "",
    ].join("\n"),
  };
}
