import { type Database, schema } from "@minutes/db";
import { and, eq, isNull, sql } from "drizzle-orm";
import { audit } from "../audit.js";

const { apiKeys, passkeys, passwords, sessions, users, webhooks } = schema;

/**
 * Records that a user's e-mail address is theirs: they used a link that was sent to it. Whoever made the account chose
 * the address, and may be somebody else. Unless the link was used where the account is signed in, everything ends with
 * which they could come back: password, passkeys, sessions, personal keys and webhooks.
 * @param signedInUserId who is signed in where the link was used; null: nobody.
 */
export async function confirmAddress(
  tx: Database,
  userId: string,
  signedInUserId: string | null,
): Promise<void> {
  const [user] = await tx
    .select({ confirmed: users.emailConfirmed })
    .from(users)
    .where(eq(users.id, userId))
    .for("update");
  if (!user || user.confirmed) return;
  await tx.update(users).set({ emailConfirmed: true, updatedAt: sql`now()` }).where(eq(users.id, userId));
  if (signedInUserId !== userId) await endAccess(tx, userId);
  await audit(tx, { kind: "user", userId }, "user.confirm-email", userId);
}

async function endAccess(tx: Database, userId: string): Promise<void> {
  await tx.delete(passwords).where(eq(passwords.userId, userId));
  await tx.delete(passkeys).where(eq(passkeys.userId, userId));
  await tx.delete(sessions).where(eq(sessions.userId, userId));
  await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)));
  await tx
    .update(webhooks)
    .set({ disabledAt: sql`now()` })
    .where(and(eq(webhooks.userId, userId), isNull(webhooks.disabledAt)));
}
