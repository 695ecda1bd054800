import { type Database, schema } from "@minutes/db";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { selectWorkspaceOfObject } from "../../audit.js";
import { listHolderAddresses } from "../../workspaces/index.js";
import type { FailureNotice } from "./notify-failure.js";
import type { PausePolicy } from "./record-attempts.js";

const { auditLog, deliveries, webhooks } = schema;

/**
 * Pauses a webhook that failed for too long, and tells its holders, once: by e-mail where a mail server is set, and in the
 * audit log. Its deliveries are held from now on. Does nothing when another worker was first, or an attempt succeeded
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
      .returning({
        name: webhooks.name,
        url: webhooks.url,
        userId: webhooks.userId,
        workspaceId: webhooks.workspaceId,
        failures: webhooks.failures,
        failingSince: webhooks.failingSince,
      });
    if (!webhook) return null;
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
    return webhook;
  });
  if (!paused) return;
  if (notice.mailer) {
    const to = await listHolderAddresses(db, paused);
    await notice.mailer({ to, ...writePauseMail(webhookId, paused) });
  }
  notice.onPause(webhookId, notice.mailer !== null);
}

interface PausedWebhook {
  readonly name: string;
  readonly url: string;
  readonly failures: number;
  readonly failingSince: string | null;
}

/** Writes the e-mail. It has only the host of the address, since the rest can hold a secret, and no content. */
function writePauseMail(webhookId: string, { name, url, failures, failingSince }: PausedWebhook) {
  const { host } = new URL(url);
  return {
    subject: `Webhook "${name}" is paused`,
    text: [
      `Your webhook "${name}" at ${host} is paused: its last ${failures} attempts failed, the first at ${failingSince}.`,
      "",
      `Webhook:  ${webhookId}`,
      "",
      "Nothing is sent to it until it is resumed. What happens meanwhile is kept for as long as the delivery log.",
      "Resume it once the receiver works again, and choose whether what was missed is sent, oldest first:",
      "",
      `  minutes webhooks resume ${webhookId} --replay`,
      "",
      "You get this message once.",
      "",
    ].join("\n"),
  };
}
