import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { ApiError } from "../lib/errors.js";
import { type AnyCaller, actorOf, type Manager } from "./callers.js";

const { sessions } = schema;

export const OPERATOR = { kind: "operator" } as const;

/** The author of a failed sign-in. Used only in the audit log. */
export const ANONYMOUS = { kind: "anonymous" } as const;

/** The author of automatic changes. Used only in the audit log. */
export const SERVER = { kind: "server" } as const;

/** Who an entry of the audit log names. */
export type AuditActor =
  | AnyCaller
  | { readonly kind: "user"; readonly userId: string }
  | typeof ANONYMOUS
  | typeof SERVER;

/** Returns an actor's name for the audit log. */
export const toActorName = (actor: AuditActor): string => {
  if ("via" in actor) return actorOf(actor);
  return actor.kind === "user" ? actor.userId : actor.kind;
};

/** Requires the operator: only they move users between workspaces and change plans. @throws ApiError 403 */
export function requireOperator({ kind }: Manager): void {
  if (kind !== "operator") throw new ApiError("FORBIDDEN", MESSAGES.onlyOperator);
}

/** Requires this user or the operator. @throws ApiError 403 */
export function requireSelf(caller: Manager, userId: string): void {
  if (caller.kind === "user" && caller.userId !== userId)
    throw new ApiError("FORBIDDEN", MESSAGES.onlyThisUser);
}

/**
 * Requires a sign-in within the last `LIMITS.recentSignInSeconds`, so that the holder of a stolen session can't extend
 * the access or lock its user out.
 * @throws ApiError 403 with the header `X-Sign-In: again`, which makes pages offer to sign in again
 */
export async function requireRecentSignIn(db: Database, sessionId: string): Promise<void> {
  const [recent] = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.id, sessionId),
        sql`${sessions.createdAt} > now() - make_interval(secs => ${LIMITS.recentSignInSeconds}::float8)`,
      ),
    );
  if (!recent) throw new ApiError("FORBIDDEN", MESSAGES.signInRecently, { "X-Sign-In": "again" });
}
