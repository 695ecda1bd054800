import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, ne, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import { getSessionId, requireRecentSignIn, type UserCaller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { forgiveSignIn, throttleSignIn } from "./attempts.js";
import type { HashCaller } from "./hash-queue.js";
import { checkPassword, hashPassword } from "./password-hash.js";
import { listSessions } from "./sessions/manage.js";

const { members, oneTimeLinks, passwords, sessions, users, workspaces } = schema;

/** Returns a user's own account. @throws ApiError 404 */
export async function getAccount(db: Database, userId: string) {
  const [account] = await db
    .select({
      userId: users.id,
      email: users.email,
      name: users.name,
      role: members.role,
      workspaceId: workspaces.id,
      workspaceName: workspaces.name,
      hasPassword: sql<boolean>`exists (select from ${passwords} p where p.user_id = ${users.id})`,
    })
    .from(users)
    .innerJoin(members, eq(members.userId, users.id))
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(users.id, userId));
  if (!account) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
  return account;
}

/**
 * Sets a user's own password. Ends all their other sessions and one-time links, immediately on every process.
 * @param current the current password; null if the user has none
 * @throws ApiError 403 if the current password is wrong, or for a first password if the sign-in is too old; 429 after
 * too many wrong ones
 */
export async function setPassword(
  db: Database,
  caller: UserCaller,
  { current, password }: { current: string | null; password: string },
  visitor: HashCaller = { address: "", answerBy: Infinity },
): Promise<void> {
  const [userId, sessionId] = [caller.userId, getSessionId(caller)];
  const [account] = await db
    .select({ email: users.email, hash: passwords.hash })
    .from(users)
    .leftJoin(passwords, eq(passwords.userId, users.id))
    .where(eq(users.id, userId));
  if (!account) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
  const { email, hash: stored } = account;
  if (stored === null) await requireRecentSignIn(db, sessionId);
  else {
    // Counted against the session's own allowance, so a stolen session can't lock the user out elsewhere.
    const attempt = { email, address: visitor.address, browser: sessionId };
    await throttleSignIn(db, attempt);
    const { valid } = await checkPassword(stored, current ?? "", visitor);
    if (!valid) throw new ApiError("FORBIDDEN", MESSAGES.wrongPresentPassword);
    await forgiveSignIn(db, attempt);
  }
  const hash = await hashPassword(password, visitor);
  await db.transaction(async (tx) => {
    // Locks the user, so that the second of two concurrent changes sees the first one's hash.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
    const [before] = await tx
      .select({ hash: passwords.hash })
      .from(passwords)
      .where(eq(passwords.userId, userId));
    if ((before?.hash ?? null) !== stored) throw new ApiError("FORBIDDEN", MESSAGES.wrongPresentPassword);
    await tx
      .insert(passwords)
      .values({ userId, hash })
      .onConflictDoUpdate({ target: passwords.userId, set: { hash, updatedAt: sql`now()` } });
    await tx.delete(sessions).where(and(eq(sessions.userId, userId), ne(sessions.id, sessionId)));
    await tx.delete(oneTimeLinks).where(eq(oneTimeLinks.userId, userId));
    await audit(tx, { kind: "user", userId }, "user.password", userId);
  });
}

/** Lists a user's own sessions, newest first. `current` marks the calling one. */
export async function listOwnSessions(db: Database, caller: UserCaller) {
  const sessionId = getSessionId(caller);
  const list = await listSessions(db, caller.userId);
  return { sessions: list.map((session) => ({ ...session, current: session.id === sessionId })) };
}
