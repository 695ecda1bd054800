import { listMembers } from "@minutes/core";
import type { Database, schema } from "@minutes/db";

/** Returns the given role, else a member's current role, else admin for the first member and member for others. */
export async function chooseRole(
  db: Database,
  workspaceId: string,
  userId: string,
  role?: schema.Role,
): Promise<schema.Role> {
  if (role !== undefined) return role;
  const members = await listMembers(db, workspaceId);
  const present = members.find((member) => member.userId === userId);
  return present?.role ?? (members.length === 0 ? "admin" : "member");
}

/** Names a user's id as in every result of a command. */
export const toUser = <User extends { readonly userId: string }>({ userId, ...user }: User) => ({
  id: userId,
  ...user,
});
