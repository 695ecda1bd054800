import { MESSAGES } from "@minutes/contract";
import { ApiError } from "../lib/errors.js";
import { type AnyCaller, actorOf, type Manager } from "./callers.js";

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
