import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import type { Mailer } from "../lib/mailer.js";
import { listHolderAddresses } from "../workspaces/index.js";

const { apiKeys } = schema;

/** Days before a key's expiry when its holders are notified. */
const NOTICE_DAYS = 7;
/** Number of keys claimed per batch. */
const BATCH = 100;

/**
 * Notifies the holders of keys that expire within seven days, once per key across processes: the owner of a personal
 * key, or all admins of a workspace key's workspace. Skips disabled and revoked keys, and those created for seven days
 * or less. An e-mail that the mail server refuses is retried by the next run.
 * @see docs/decisions/0122-api-key-restrictions.md
 */
export async function notifyExpiringKeys(
  db: Database,
  mailer: Mailer,
  onFault: (error: unknown) => void,
): Promise<void> {
  const notice = sql`make_interval(days => ${NOTICE_DAYS}::int)`;
  const due = sql`k.expiry_mail_at is null and k.revoked_at is null and k.disabled_at is null
    and k.expires_at > now() and k.expires_at <= now() + ${notice} and k.expires_at - k.created_at > ${notice}`;
  for (;;) {
    // Claims the keys before sending, so that no other process sends the same e-mails.
    const keys = await db
      .update(apiKeys)
      .set({ expiryMailAt: sql`clock_timestamp()` })
      .where(
        sql`${apiKeys.id} in (select k.id from ${apiKeys} k where ${due} order by k.expires_at limit ${BATCH} for update skip locked)`,
      )
      .returning();
    let refused = false;
    for (const key of keys) {
      try {
        await mailer({ to: await listHolderAddresses(db, key), ...writeExpiryMail(key) });
      } catch (error) {
        refused = true;
        onFault(error);
        await db
          .update(apiKeys)
          .set({ expiryMailAt: null })
          .where(and(eq(apiKeys.id, key.id), eq(apiKeys.expiryMailAt, key.expiryMailAt ?? "")));
      }
    }
    if (keys.length < BATCH || refused) return;
  }
}

/** Writes the e-mail. It names the key as lists do, with only the last four characters of its value. */
function writeExpiryMail(key: typeof apiKeys.$inferSelect) {
  const { id, kind, name, lastFour, expiresAt } = key;
  return {
    subject: `API key "${name}" expires soon`,
    text: [
      `The ${kind} API key "${name}" that ends in ${lastFour} expires at ${expiresAt}. It is refused from then on.`,
      "",
      `Key: ${id}`,
      "",
      "Create a new key and replace this one wherever it is used. This is the only reminder for this key.",
      "",
    ].join("\n"),
  };
}
