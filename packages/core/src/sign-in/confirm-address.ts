import { type Database, schema } from "@minutes/db";
import { and, eq, isNull, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import { lockMembership, moveToNewWorkspace } from "../workspaces/index.js";
import { insertInvitation } from "./insert-invitation.js";

const {
  apiKeys,
  companyAccounts,
  knownBrowsers,
  oauthGrants,
  oneTimeLinks,
  passkeys,
  passwords,
  sessions,
  users,
  webhooks,
} = schema;

/**
 * Records that a user owns their e-mail address: they used a link that was only mailed to it, or the company's provider
 * verified it. The account may have been created by somebody else. Unless the proof comes from a browser signed in to
 * the account, everything that could let that person back in is removed (password, passkeys, company accounts,
 * sessions, links, connected apps, personal keys and webhooks), and the account leaves the workspace it joined.
 * @param signedInUserId the user signed in where the proof comes from; null: nobody
 * @returns the token of an invitation back to that workspace, for the owner to accept; null if there is nothing to
 * accept
 */
export async function confirmAddress(
  tx: Database,
  userId: string,
  signedInUserId: string | null,
): Promise<string | null> {
  const find = () =>
    tx
      .select({ email: users.email, confirmed: users.emailConfirmed })
      .from(users)
      .where(eq(users.id, userId));
  if ((await find())[0]?.confirmed !== false) return null;
  // The second of two concurrent proofs sees the result of the first one.
  await lockMembership(tx, userId, "update");
  const [user] = await find();
  if (user?.confirmed !== false) return null;
  await tx.update(users).set({ emailConfirmed: true, updatedAt: sql`now()` }).where(eq(users.id, userId));
  const actor = { kind: "user", userId } as const;
  await audit(tx, actor, "user.confirm-email", userId);
  if (signedInUserId === userId) return null;
  await endAccess(tx, userId);
  const left = await moveToNewWorkspace(tx, userId);
  if (!left) return null;
  const { workspaceId, role } = left;
  const { id, token } = await insertInvitation(tx, {
    ...{ workspaceId, role, email: user.email, createdBy: userId },
    ...{ mailed: true, returning: true },
  });
  await audit(tx, actor, "invitation.create", id, workspaceId);
  return token;
}

async function endAccess(tx: Database, userId: string): Promise<void> {
  for (const table of [passwords, passkeys, companyAccounts, sessions, knownBrowsers, oauthGrants])
    await tx.delete(table).where(eq(table.userId, userId));
  // Mailed links reach only the owner.
  await tx
    .delete(oneTimeLinks)
    .where(and(eq(oneTimeLinks.userId, userId), eq(oneTimeLinks.purpose, "sign-in")));
  await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)));
  await tx
    .update(webhooks)
    .set({ disabledAt: sql`now()` })
    .where(and(eq(webhooks.userId, userId), isNull(webhooks.disabledAt)));
}
