/**
 * Who manages something: a signed-in user, whose role counts, or the operator at the machine's own command line,
 * who may do everything.
 */
export type Actor = { readonly kind: "user"; readonly userId: string } | { readonly kind: "operator" };

export const OPERATOR: Actor = { kind: "operator" };

/** How the audit log names an actor. */
export const actorName = (actor: Actor): string => (actor.kind === "user" ? actor.userId : "operator");
