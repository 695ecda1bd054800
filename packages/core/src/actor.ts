import { MESSAGES } from "@minutes/contract";
import { ApiError } from "./errors.js";

/**
 * Who manages something: a signed-in user, whose role counts, or the operator at the machine's own command line,
 * who may do everything.
 */
export type Actor = { readonly kind: "user"; readonly userId: string } | { readonly kind: "operator" };

export const OPERATOR: Actor = { kind: "operator" };

/** Names an actor as the audit log does. */
export const toActorName = (actor: Actor): string => (actor.kind === "user" ? actor.userId : "operator");

/** Requires the operator: only they move people between workspaces and change plans. @throws ApiError 403 */
export function requireOperator(actor: Actor): void {
  if (actor.kind !== "operator") throw new ApiError("FORBIDDEN", MESSAGES.onlyOperator);
}

/** Requires the user themselves or the operator. @throws ApiError 403 */
export function requireSelf(actor: Actor, userId: string): void {
  if (actor.kind === "user" && actor.userId !== userId)
    throw new ApiError("FORBIDDEN", MESSAGES.onlyThisUser);
}
