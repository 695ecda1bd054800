import { MESSAGES } from "@minutes/contract";
import { ApiError } from "./errors.js";

/**
 * The author of a change: a signed-in user, restricted by role, or the operator at the machine's own command line, who
 * can do everything.
 */
export type Actor = { readonly kind: "user"; readonly userId: string } | { readonly kind: "operator" };

export const OPERATOR: Actor = { kind: "operator" };

/** The author of a failed sign-in. Used only in the audit log. */
export const ANONYMOUS = { kind: "anonymous" } as const;

/** The author of automatic changes. Used only in the audit log. */
export const SERVER = { kind: "server" } as const;

/** The key that a caller used, or a user in the console. Used only in the audit log. */
export interface KeyActor {
  readonly kind: "key";
  readonly keyId: string;
}

/** Returns an actor's name for the audit log. */
export const toActorName = (actor: Actor | KeyActor | typeof ANONYMOUS | typeof SERVER): string => {
  if (actor.kind === "key") return actor.keyId;
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
