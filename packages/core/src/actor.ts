import { MESSAGES } from "@minutes/contract";
import { actorOf, type Caller, type RecorderCaller } from "./callers.js";
import { ApiError } from "./errors.js";

/**
 * The author of a change: a signed-in user, restricted by role, or the operator at the machine's own command line, who
 * can do everything.
 */
export type Actor = { readonly kind: "user"; readonly userId: string } | { readonly kind: "operator" };

export const OPERATOR = { kind: "operator" } as const;

/** The author of a failed sign-in. Used only in the audit log. */
export const ANONYMOUS = { kind: "anonymous" } as const;

/** The author of automatic changes. Used only in the audit log. */
export const SERVER = { kind: "server" } as const;

/** Who an entry of the audit log names. */
export type AuditActor = Caller | RecorderCaller | Actor | typeof ANONYMOUS | typeof SERVER;

/** Returns an actor's name for the audit log. */
export const toActorName = (actor: AuditActor): string => {
  if ("via" in actor) return actorOf(actor);
  return actor.kind === "user" ? actor.userId : actor.kind;
};

/** Requires the operator: only they move users between workspaces and change plans. @throws ApiError 403 */
export function requireOperator(actor: Actor): void {
  if (actor.kind !== "operator") throw new ApiError("FORBIDDEN", MESSAGES.onlyOperator);
}

/** Requires this user or the operator. @throws ApiError 403 */
export function requireSelf(actor: Actor, userId: string): void {
  if (actor.kind === "user" && actor.userId !== userId)
    throw new ApiError("FORBIDDEN", MESSAGES.onlyThisUser);
}
