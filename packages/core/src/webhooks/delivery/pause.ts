import { type Database, schema } from "@minutes/db";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { SERVER } from "../../access/actor.js";
import { audit } from "../../access/audit.js";
import type { Mailer } from "../../lib/mailer.js";
import { listHolderAddresses } from "../../workspaces/index.js";
import type { PausePolicy } from "./backoff.js";
import type { FailureNotice } from "./notify-failure.js";

const { deliveries, webhooks } = schema;

/**
 * Pauses a webhook that failed for too long, and notifies its holders: by e-mail if a mail server is configured, and in
 * the audit log. Its deliveries are held from now on. No-op if another worker was first, or an attempt has succeeded
 * since.
 * @see docs/decisions/0040-delivery-queue.md
 */
export async function pauseWebhook(
  db: Database,
  notice: FailureNotice,
  webhookId: string,
  { failures, hours }: PausePolicy,
): Promise<void> {
  const paused = await db.transaction(async (tx) => {
    const [webhook] = await tx
      .update(webhooks)
      .set({ pausedAt: sql`now()`, updatedAt: sql`now()` })
      .where(
        and(
          eq(webhooks.id, webhookId),
          isNull(webhooks.pausedAt),
          isNull(webhooks.disabledAt),
          isNull(webhooks.deletedAt),
          sql`${webhooks.failures} >= ${failures}`,
          sql`${webhooks.failingSince} <= now() - make_interval(secs => ${hours * 3600}::float8)`,
        ),
      )
      .returning({ id: webhooks.id });
    if (!webhook) return false;
    // Test deliveries have no meeting. They are still sent, to check whether the receiver works again.
    await tx
      .update(deliveries)
      .set({ state: "held" })
      .where(
        and(
          eq(deliveries.webhookId, webhookId),
          eq(deliveries.state, "pending"),
          isNotNull(deliveries.meetingId),
        ),
      );
    await audit(tx, SERVER, "webhook.pause", webhookId);
    return true;
  });
  if (!paused) return;
  let mailed = false;
  try {
    if (notice.mailer) {
      await sendPauseMails(db, notice.mailer);
      mailed = true;
    }
  } finally {
    notice.onPause(webhookId, mailed);
  }
}

/**
 * Notifies the holders of paused webhooks by e-mail, once per pause across workers. A refused e-mail is retried by the
 * next run while the webhook is paused.
 * @throws AggregateError if e-mails were refused
 */
export async function sendPauseMails(db: Database, mailer: Mailer): Promise<void> {
  const taken = await db
    .update(webhooks)
    .set({ pauseMailAt: sql`clock_timestamp()` })
    .where(
      and(
        isNotNull(webhooks.pausedAt),
        isNull(webhooks.disabledAt),
        isNull(webhooks.deletedAt),
        sql`coalesce(${webhooks.pauseMailAt} < ${webhooks.pausedAt}, true)`,
      ),
    )
    .returning();
  const refusals: unknown[] = [];
  for (const webhook of taken) {
    try {
      await mailer({ to: await listHolderAddresses(db, webhook), ...writePauseMail(webhook) });
    } catch (error) {
      refusals.push(error);
      await db
        .update(webhooks)
        .set({ pauseMailAt: null })
        .where(and(eq(webhooks.id, webhook.id), eq(webhooks.pauseMailAt, webhook.pauseMailAt ?? "")));
    }
  }
  if (refusals.length > 0) throw new AggregateError(refusals, "E-mails about paused webhooks were refused.");
}

interface PausedWebhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly failures: number;
  readonly failingSince: string | null;
}

/** Writes the e-mail. It contains only the host of the URL, because the rest can be secret, and no content. */
function writePauseMail({ id, name, url, failures, failingSince }: PausedWebhook) {
  const { host } = new URL(url);
  return {
    subject: `Webhook "${name}" is paused`,
    text: [
      `Your webhook "${name}" at ${host} is paused: its last ${failures} attempts failed, the first at ${failingSince}.`,
      "",
      `Webhook:  ${id}`,
      "",
      "Nothing is sent to it until it is resumed. Events in the meantime are kept as long as the delivery log.",
      "Resume it once the receiver works again, and choose whether to send the missed deliveries, oldest first:",
      "",
      `  minutes webhooks resume ${id} --replay`,
      "",
      "You get this message only once.",
      "",
    ].join("\n"),
  };
}
