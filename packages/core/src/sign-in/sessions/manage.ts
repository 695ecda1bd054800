import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, desc, eq, sql } from "drizzle-orm";
import { requireSelf } from "../../access/actor.js";
import { audit } from "../../access/audit.js";
import type { Manager } from "../../access/callers.js";
import { hashToken, isToken } from "../../keys/index.js";
import { ApiError } from "../../lib/errors.js";

const { auditLog, oneTimeLinks, sessions } = schema;

/** Condition for sessions that are neither expired nor idle for too long. */
const IS_OPEN = sql`${sessions.expiresAt} > now()
  and coalesce(${sessions.lastUsedAt} + make_interval(secs => ${sessions.idleSeconds}) > now(), true)`;

/**
 * Lists a user's open sessions, newest first, without their tokens. `network` is where the session was signed in, such as
 * `192.0.2.0/24`; null when it is unknown or no longer recorded.
 */
export const listSessions = (db: Database, userId: string) =>
  db
    .select({
      id: sessions.id,
      kind: sessions.kind,
      label: sessions.label,
      createdAt: sessions.createdAt,
      lastUsedAt: sessions.lastUsedAt,
      expiresAt: sessions.expiresAt,
      network: auditLog.network,
    })
    .from(sessions)
    .leftJoin(auditLog, and(eq(auditLog.object, sessions.id), eq(auditLog.action, "session.create")))
    .where(and(eq(sessions.userId, userId), IS_OPEN))
    .orderBy(desc(sessions.createdAt), desc(sessions.id));

/** Ends one of a user's own sessions, immediately on every process. @throws ApiError 404 for any other session */
export async function endSession(db: Database, userId: string, sessionId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await tx
      .delete(sessions)
      .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId)))
      .returning({ id: sessions.id });
    if (ended.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.sessionNotFound);
    await audit(tx, { kind: "user", userId }, "session.end", sessionId);
  });
}

/**
 * Ends all sessions of a user, immediately on every process, and deletes their one-time links.
 * @returns the number of sessions
 * @throws ApiError 403 unless the actor is the user or the operator
 */
export async function endAllSessions(db: Database, actor: Manager, userId: string): Promise<number> {
  requireSelf(actor, userId);
  return db.transaction(async (tx) => {
    const ended = await tx.delete(sessions).where(eq(sessions.userId, userId)).returning({ id: sessions.id });
    await tx.delete(oneTimeLinks).where(eq(oneTimeLinks.userId, userId));
    await audit(tx, actor, "session.end-all", userId);
    return ended.length;
  });
}

/** Ends the session of a cookie or token, immediately on every process. No-op if it is unknown. */
export async function endSessionByToken(db: Database, token: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [ended] = await tx
      .delete(sessions)
      .where(eq(sessions.hash, hashToken(token)))
      .returning({ id: sessions.id, userId: sessions.userId });
    if (ended) await audit(tx, { kind: "user", userId: ended.userId }, "session.end", ended.id);
  });
}

/** Returns the user of a cookie or token without counting the call; null if the session has ended. */
export async function findSessionUser(
  db: Database,
  token: string | undefined,
): Promise<{ userId: string } | null> {
  if (token === undefined || !isToken("mst_", token)) return null;
  const [session] = await db
    .select({ userId: sessions.userId })
    .from(sessions)
    .where(and(eq(sessions.hash, hashToken(token)), IS_OPEN));
  return session ?? null;
}
