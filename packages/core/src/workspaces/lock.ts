import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { asc, eq } from "drizzle-orm";
import { ApiError } from "../lib/errors.js";

const { members, workspaces } = schema;

/** A user's workspace and their role in it. */
export interface Membership {
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: schema.Role;
}

/**
 * How a membership is locked. All keep the user in their workspace.
 *
 * - `key share`: for work that takes long, such as an import. Only `update` waits for it.
 * - `no key update`: one at a time, for what is counted or must not be made twice.
 * - `update`: alone, to move or remove the user.
 */
export type MembershipLock = "key share" | "no key update" | "update";

/**
 * Locks a user's membership until the transaction ends. Transactions that lock several rows lock memberships first, to
 * avoid deadlocks.
 * @throws ApiError 404 for an unknown user
 */
export async function lockMembership(
  tx: Database,
  userId: string,
  strength: MembershipLock,
): Promise<Membership> {
  const [member] = await tx
    .select({ userId: members.userId, workspaceId: members.workspaceId, role: members.role })
    .from(members)
    .where(eq(members.userId, userId))
    .for(strength)
    .prepare(`lock_membership_${strength}`)
    .execute();
  if (!member) throw new ApiError("NOT_FOUND", MESSAGES.memberNotFound);
  return member;
}

/**
 * Locks the memberships of all members until the transaction ends, so that nobody leaves or completes a meeting.
 * @returns the ids of the members
 */
export async function lockMembers(tx: Database, workspaceId: string): Promise<string[]> {
  const locked = await tx
    .select({ userId: members.userId })
    .from(members)
    .where(eq(members.workspaceId, workspaceId))
    .orderBy(asc(members.userId))
    .for("update");
  return locked.map(({ userId }) => userId);
}

/**
 * Locks a workspace until the transaction ends. `update` serializes changes that count its rows; `share` prevents its
 * removal and a change of its plan.
 * @returns null if there is no such workspace
 */
export async function lockWorkspace(
  tx: Database,
  workspaceId: string,
  strength: "update" | "share" = "update",
): Promise<{ readonly id: string; readonly plan: string } | null> {
  const [workspace] = await tx
    .select({ id: workspaces.id, plan: workspaces.plan })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId))
    .for(strength);
  return workspace ?? null;
}
