import { type Database, schema } from "@minutes/db";
import { eq, inArray } from "drizzle-orm";
import { lockMembership, type Membership } from "./lock.js";
import { auditMove, changeWorkspace, createOwnWorkspace } from "./membership.js";
import { deleteEmptyWorkspaces } from "./workspaces.js";

const { workspaces } = schema;

/**
 * Moves a user into a new workspace of their own, even as the last admin, and removes their ownership of earlier
 * workspaces, in which a previous user of the account may have left members and keys. Those without members are
 * deleted.
 * @returns the membership that ended; null if the user was in their own workspace
 */
export async function moveToNewWorkspace(tx: Database, userId: string): Promise<Membership | null> {
  const left = await lockMembership(tx, userId, "update");
  const disowned = await tx
    .update(workspaces)
    .set({ ownerId: null })
    .where(eq(workspaces.ownerId, userId))
    .returning({ id: workspaces.id });
  const ids = disowned.map(({ id }) => id);
  const joined = await createOwnWorkspace(tx, userId);
  const actor = { kind: "user", userId } as const;
  await changeWorkspace(tx, actor, left, joined, "admin");
  await auditMove(tx, actor, userId, { left: left.workspaceId, joined });
  await deleteEmptyWorkspaces(tx, inArray(workspaces.id, ids));
  return ids.includes(left.workspaceId) ? null : left;
}
