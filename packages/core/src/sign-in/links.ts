import { secondsFromNow } from "@minutes/background";
import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, ne, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { UserCaller } from "../access/index.js";
import { generateToken, hashToken, isToken } from "../keys/index.js";
import { ApiError } from "../lib/errors.js";
import { findMember, requireAdmin } from "../workspaces/index.js";

const { auditLog, members, oneTimeLinks, users, workspaces } = schema;

/**
 * Creates the token of a one-time sign-in link.
 * @param seconds its lifetime
 * @param purpose `mail` for a link sent to the user's address, so that using it confirms the address
 */
export async function createSignInToken(
  db: Database,
  userId: string,
  seconds: number = LIMITS.signInLinkSeconds,
  purpose: "sign-in" | "mail" = "sign-in",
): Promise<string> {
  const token = generateToken("mlk_");
  await db
    .insert(oneTimeLinks)
    .values({ hash: hashToken(token), purpose, userId, expiresAt: secondsFromNow(seconds) });
  return token;
}

/**
 * Creates a sign-in link for another member, for an admin who passes it on. Whoever has it gets into the account, so it must
 * have been created in this workspace and never been anywhere else.
 * @throws ApiError 404 for a non-member, 403 unless the caller is an admin there, and for any other account
 */
export async function createMemberLink(
  db: Database,
  caller: UserCaller,
  userId: string,
): Promise<{ token: string; expiresAt: string }> {
  return db.transaction(async (tx) => {
    const { workspaceId } = caller;
    await requireAdmin(tx, caller, workspaceId);
    await findMember(tx, workspaceId, { userId });
    if (!(await isCreatedIn(tx, workspaceId, userId)))
      throw new ApiError("FORBIDDEN", MESSAGES.memberFromElsewhere);
    const token = await createSignInToken(tx, userId);
    await audit(tx, caller, "session.link", userId, workspaceId);
    return { token, expiresAt: new Date(Date.now() + LIMITS.signInLinkSeconds * 1000).toISOString() };
  });
}

/**
 * Returns true if a member's account was created with the workspace, or joined it in the transaction that created the account,
 * and has not left it since. False once the audit log has forgotten that.
 */
async function isCreatedIn(tx: Database, workspaceId: string, userId: string): Promise<boolean> {
  const entry = (action: "join" | "leave") => sql`select from ${auditLog} a
    where a.action = ${`member.${action}`} and a.object = u.id and a.shown_in = ${workspaceId}`;
  const [created] = await tx
    .select({ id: members.userId })
    .from(members)
    .where(
      and(
        eq(members.userId, userId),
        eq(members.workspaceId, workspaceId),
        sql`exists (select from ${users} u where u.id = ${userId} and not exists (${entry("leave")}) and (
          exists (${entry("join")} and a.at = u.created_at)
          or exists (select from ${workspaces} w where w.id = ${workspaceId} and w.owner_id = u.id)))`,
      ),
    );
  return created !== undefined;
}

/** Creates the token of the set-up link of a new installation. */
export async function createSetupToken(db: Database): Promise<string> {
  const token = generateToken("mlk_");
  await db
    .insert(oneTimeLinks)
    .values({ hash: hashToken(token), purpose: "setup", expiresAt: secondsFromNow(LIMITS.setupLinkSeconds) });
  return token;
}

/** Builds the condition for a valid sign-in link. */
const whereSignsIn = (token: string) =>
  and(
    eq(oneTimeLinks.hash, hashToken(token)),
    ne(oneTimeLinks.purpose, "setup"),
    sql`${oneTimeLinks.expiresAt} > now()`,
  );

/**
 * Returns the user of a sign-in link without using it up, because mail scanners also open links.
 * @throws ApiError 401 for an unknown, used or expired link
 */
export async function findSignInLinkUser(
  db: Database,
  token: string,
): Promise<{ userId: string; email: string }> {
  const [user] = isToken("mlk_", token)
    ? await db
        .select({ userId: users.id, email: users.email })
        .from(oneTimeLinks)
        .innerJoin(users, eq(users.id, oneTimeLinks.userId))
        .where(whereSignsIn(token))
    : [];
  if (!user) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
  return user;
}

/**
 * Uses up a sign-in link. Only one of several concurrent uses succeeds.
 * @returns `mailed`: whether the link was sent to the user's address. Null for an unknown, used or expired link.
 */
export async function consumeSignInToken(
  tx: Database,
  token: string,
): Promise<{ userId: string; mailed: boolean } | null> {
  const [link] = isToken("mlk_", token)
    ? await tx
        .delete(oneTimeLinks)
        .where(whereSignsIn(token))
        .returning({ userId: oneTimeLinks.userId, purpose: oneTimeLinks.purpose })
    : [];
  return link?.userId ? { userId: link.userId, mailed: link.purpose === "mail" } : null;
}

/**
 * Checks a set-up link without using it up, so that hashes are computed only for valid links.
 * @throws ApiError 401 for an invalid or expired token
 */
export async function requireSetupToken(db: Database, token: string): Promise<void> {
  const found = isToken("mlk_", token)
    ? await db
        .select({ purpose: oneTimeLinks.purpose })
        .from(oneTimeLinks)
        .where(
          and(
            eq(oneTimeLinks.hash, hashToken(token)),
            eq(oneTimeLinks.purpose, "setup"),
            sql`${oneTimeLinks.expiresAt} > now()`,
          ),
        )
    : [];
  if (found.length === 0) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
}

/**
 * Uses up all set-up links. Every process prints its own; locking them all lets only one set-up succeed.
 * @throws ApiError 401 for an invalid or expired token
 */
export async function consumeSetupToken(tx: Database, token: string): Promise<void> {
  const links = await tx
    .select({ hash: oneTimeLinks.hash, valid: sql<boolean>`${oneTimeLinks.expiresAt} > now()` })
    .from(oneTimeLinks)
    .where(eq(oneTimeLinks.purpose, "setup"))
    .orderBy(oneTimeLinks.hash)
    .for("update");
  const hash = Buffer.from(hashToken(token));
  if (!links.some((link) => link.valid && hash.equals(link.hash)))
    throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
  await tx.delete(oneTimeLinks).where(eq(oneTimeLinks.purpose, "setup"));
}
