import type { CreatedCredential } from "@minutes/contract";
import type { schema } from "@minutes/db";
import { Option } from "commander";

/** Roles in a workspace. */
export const ROLES: readonly schema.Role[] = ["admin", "member"];

/** Creates the option that sets a member's role. */
export const createRoleOption = () =>
  new Option("--role <role>", "role in the workspace; admin for its first member, otherwise member").choices(
    ROLES,
  );

/** Creates the option that also revokes the credentials a user created for a workspace. */
export const createRevokeOption = () =>
  new Option(
    "--revoke-credentials",
    "also revoke the keys and delete the webhooks that they created for the workspace",
  );

/** Says what is deleted with users, to ask before. */
export function describeErased({
  meetings,
  tasks,
  shares,
  tags,
  keys,
}: Readonly<Record<"meetings" | "tasks" | "shares" | "tags" | "keys", number>>): string {
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
  return `${count(meetings, "meeting")} with ${count(tasks, "task")}, ${count(shares, "share")}, ${count(tags, "tag")} and ${count(keys, "key")} are deleted for good`;
}

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
