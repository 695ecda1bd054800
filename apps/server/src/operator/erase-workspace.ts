import { findWorkspace, listMembers, removeUser, removeWorkspace } from "@minutes/core";
import { schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { OperatorContext } from "./procedures.js";

const { workspaces } = schema;

/**
 * Removes a workspace in one transaction, with its members and everything that is theirs where that is wanted.
 * @throws ApiError 404, and 409 for a workspace with members who are not to be erased.
 */
export async function eraseWorkspace(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  { workspace, eraseMembers }: { workspace: string; eraseMembers: boolean },
) {
  return db.transaction(async (tx) => {
    const { id, name } = await findWorkspace(tx, workspace);
    const members = eraseMembers ? await listMembers(tx, id) : [];
    for (const { userId } of members) await removeUser(tx, actor, userId);
    // A workspace that was its last member's own is gone with that member.
    const [left] = await tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id));
    if (left) await removeWorkspace(tx, actor, id);
    return { id, name, erasedUsers: members.length };
  });
}
