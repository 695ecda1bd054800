import { type CreatedCredential, listMembers } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { Option } from "commander";

/** Creates the option that sets a member's role. */
export const createRoleOption = () =>
  new Option("--role <role>", "role in the workspace; admin for its first member, otherwise member").choices(
    schema.ROLES,
  );

/** Creates the option that also revokes what a user created for a workspace. */
export const createRevokeOption = () =>
  new Option(
    "--revoke-credentials",
    "also revoke the keys and delete the webhooks that they created for the workspace",
  );

/** Lists what somebody created for a workspace, and says whether it still works. */
export function describeCredentials(
  email: string,
  credentials: readonly CreatedCredential[],
  revoked: boolean | undefined,
): string[] {
  const ended = revoked ? credentials : credentials.filter(({ kind }) => kind === "invitation");
  const open = credentials.filter((credential) => !ended.includes(credential));
  const list = (title: string, some: readonly CreatedCredential[]) =>
    some.length === 0 ? [] : [title, ...some.map(({ kind, id, name }) => `  ${id}  ${kind} "${name}"`)];
  return [
    ...list(`These credentials that ${email} created for the workspace are revoked:`, ended),
    ...list(
      `These credentials that ${email} created for the workspace still work. --revoke-credentials revokes them:`,
      open,
    ),
  ];
}

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
