import { type BackgroundLoop, startHourly } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import type { Mailer } from "../mailer.js";
import { listHolderAddresses } from "../workspaces/index.js";

const { apiKeys } = schema;

/** Days before a key's end at which its holders are told. */
const NOTICE_DAYS = 7;
/** Keys that are claimed at once. */
const BATCH = 100;

/**
 * Tells the holders of keys that expire within seven days, once for each key over all processes: the owner of a personal
 * key, and all admins of a workspace key's workspace. Keys that were made for seven days or less are not announced, nor
 * disabled or revoked ones. A mail that the server refuses is tried again by the next run.
 * @see docs/decisions/0168-a-mail-before-a-key-expires.md
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
    // Takes the keys before the mails are sent, so that no other process sends them too.
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

/** Tells the holders of expiring keys at once and every hour. */
export const startExpiryNotices = (
  db: Database,
  mailer: Mailer,
  onFault: (error: unknown) => void,
): BackgroundLoop => startHourly(() => notifyExpiringKeys(db, mailer, onFault), onFault);

/** Writes the e-mail. It names the key as lists do, and has no part of it but the last four characters. */
function writeExpiryMail(key: typeof apiKeys.$inferSelect) {
  const { id, kind, name, lastFour, expiresAt } = key;
  return {
    subject: `API key "${name}" expires soon`,
    text: [
      `The ${kind} API key "${name}" that ends in ${lastFour} expires at ${expiresAt}. It is refused from then on.`,
      "",
      `Key: ${id}`,
      "",
      "Create a new key and replace this one where it is used. You get this message once for a key.",
      "",
    ].join("\n"),
  };
}
