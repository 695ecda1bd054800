import { type Database, schema } from "@minutes/db";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { selectWorkspaceOfObject } from "../../audit.js";
import type { Mailer } from "../../mailer.js";
import { listHolderAddresses } from "../../workspaces/index.js";
import type { FailureNotice } from "./notify-failure.js";
import type { PausePolicy } from "./record-attempts.js";

const { auditLog, deliveries, webhooks } = schema;

/**
 * Pauses a webhook that failed for too long, and tells its holders: by e-mail where a mail server is set, and in the audit
 * log. Its deliveries are held from now on. Does nothing when another worker was first, or an attempt succeeded
 * meanwhile.
 * @see docs/decisions/0167-catch-up-in-order.md
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
    // Test sends have no meeting. They go out, so that people can see whether the receiver works again.
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
    await tx.insert(auditLog).values({
      actor: "server",
      action: "webhook.pause",
      object: webhookId,
      shownIn: selectWorkspaceOfObject(webhookId),
    });
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
 * Tells the holders of paused webhooks by e-mail, once for each pause over all workers. A mail that the server refuses is
 * given back, and the next run tries again while the webhook is paused.
 * @throws AggregateError when mails were refused
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
  if (refusals.length > 0) throw new AggregateError(refusals, "Mails about paused webhooks were refused.");
}

interface PausedWebhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly failures: number;
  readonly failingSince: string | null;
}

/** Writes the e-mail. It has only the host of the address, since the rest can hold a secret, and no content. */
function writePauseMail({ id, name, url, failures, failingSince }: PausedWebhook) {
  const { host } = new URL(url);
  return {
    subject: `Webhook "${name}" is paused`,
    text: [
      `Your webhook "${name}" at ${host} is paused: its last ${failures} attempts failed, the first at ${failingSince}.`,
      "",
      `Webhook:  ${id}`,
      "",
      "Nothing is sent to it until it is resumed. What happens meanwhile is kept for as long as the delivery log.",
      "Resume it once the receiver works again, and choose whether what was missed is sent, oldest first:",
      "",
      `  minutes webhooks resume ${id} --replay`,
      "",
      "You get this message once.",
      "",
    ].join("\n"),
  };
}
