import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { AuditActor } from "../../access/actor.js";
import { audit, type SignInOrigin } from "../../access/audit.js";
import { generateToken, hashToken } from "../../keys/index.js";
import { generateId } from "../../lib/ids.js";

const { sessions } = schema;

/** Lifetime of each kind of session in seconds. */
const LIFETIMES: Readonly<Record<schema.SessionKind, { absolute: number; idle: number | null }>> = {
  browser: { absolute: LIMITS.browserSessionSeconds, idle: LIMITS.browserSessionIdleSeconds },
  token: { absolute: LIMITS.sessionSeconds, idle: null },
};

/** A new session. Its token, also the cookie's value, exists in plain text only here. */
export interface CreatedSession {
  readonly id: string;
  readonly userId: string;
  readonly token: string;
  /** Maximum lifetime in seconds, however much it is used. */
  readonly seconds: number;
}

/**
 * Signs a user in, and deletes the user's expired sessions.
 * @param actor the actor in the audit log: the operator for `minutes login`
 * @param label name by which the user recognizes the session, such as the browser
 * @param origin for the audit log; null for a session without a sign-in
 */
export async function createSession(
  db: Database,
  userId: string,
  kind: schema.SessionKind,
  label: string | null = null,
  actor: AuditActor = { kind: "user", userId },
  origin: SignInOrigin | null = null,
): Promise<CreatedSession> {
  const { absolute, idle } = LIFETIMES[kind];
  const id = generateId("ses");
  const token = generateToken("mst_");
  await db.insert(sessions).values({
    id,
    userId,
    kind,
    hash: hashToken(token),
    label,
    idleSeconds: idle,
    expiresAt: sql`now() + make_interval(secs => ${absolute})`,
  });
  await audit(db, actor, "session.create", id, null, origin);
  return { id, userId, token, seconds: absolute };
}
