import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { generateId } from "../ids.js";
import { generateToken, hashToken } from "../keys/index.js";

const { sessions } = schema;

/** Seconds that each kind of session lasts. */
const LIFETIMES: Readonly<Record<schema.SessionKind, { absolute: number; idle: number | null }>> = {
  browser: { absolute: LIMITS.browserSessionSeconds, idle: LIMITS.browserSessionIdleSeconds },
  token: { absolute: LIMITS.sessionSeconds, idle: null },
};

/** A new session. Its token, which is also the value of the cookie, exists in clear only here. */
export interface CreatedSession {
  readonly id: string;
  readonly token: string;
  /** Seconds until it ends however much it is used. */
  readonly seconds: number;
}

/**
 * Signs a user in. Sessions of the user that have expired are deleted on the occasion.
 * @param actor Whom the audit log names: the operator for `minutes login`.
 * @param label By which the user recognises the session, such as a browser's name.
 */
export async function createSession(
  db: Database,
  userId: string,
  kind: schema.SessionKind,
  label: string | null = null,
  actor: Actor = { kind: "user", userId },
): Promise<CreatedSession> {
  const { absolute, idle } = LIFETIMES[kind];
  const id = generateId("ses");
  const token = generateToken("mst_");
  await db.delete(sessions).where(and(eq(sessions.userId, userId), sql`${sessions.expiresAt} <= now()`));
  await db.insert(sessions).values({
    id,
    userId,
    kind,
    hash: hashToken(token),
    label,
    idleSeconds: idle,
    expiresAt: sql`now() + make_interval(secs => ${absolute})`,
  });
  await audit(db, actor, "session.create", id);
  return { id, token, seconds: absolute };
}
