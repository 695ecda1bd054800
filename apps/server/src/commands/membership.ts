import type { CreatedCredential } from "@minutes/contract";
import type { schema } from "@minutes/db";
import { Option } from "commander";
import { UsageError } from "./cli/exit.js";
import { confirm } from "./cli/output.js";

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

/** Creates the option without which nobody whose meetings are on hold is erased. */
export const createEraseHeldOption = () =>
  new Option("--erase-held", "also erase meetings on hold; without it, they prevent the erasure");

/** Whether an erasure was confirmed, and for meetings on hold as well. */
interface Confirmed {
  readonly yes?: true | undefined;
  readonly eraseHeld?: true | undefined;
}

/**
 * Requires `--erase-held` if meetings are on hold, which `--yes` alone doesn't erase.
 * @param ofOthers number of other users' meetings on hold from which the person would be erased
 * @throws UsageError without it
 */
export function requireEraseHeld(held: number, eraseHeld: boolean | undefined, ofOthers = 0): void {
  if (held + ofOthers === 0 || eraseHeld) return;
  if (ofOthers > 0)
    throw new UsageError(
      `On hold: ${held} of their meetings and ${ofOthers} of other users' in which they occur. Nothing was changed; add --erase-held to erase these, too.`,
    );
  const some = held === 1 ? "1 of their meetings is on hold" : `${held} of their meetings are on hold`;
  throw new UsageError(
    `${some}. Nothing was changed; add --erase-held to delete ${held === 1 ? "it" : "them"}, too.`,
  );
}

/** Asks before users are erased, once `requireEraseHeld` passes. @throws UsageError */
export async function confirmErasure(
  question: string,
  erased: ErasedCounts,
  { yes, eraseHeld }: Confirmed,
): Promise<void> {
  requireEraseHeld(erased.held, eraseHeld);
  await confirm(question, yes, describeErased(erased));
}

type ErasedCounts = Readonly<Record<"meetings" | "held" | "tasks" | "shares" | "tags" | "keys", number>>;

/** Says what is deleted with users, to ask before. */
function describeErased({ meetings, held, tasks, shares, tags, keys }: ErasedCounts): string {
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
  return `${count(meetings, "meeting")}${describeHeld(held)} with ${count(tasks, "task")}, ${count(shares, "share")}, ${count(tags, "tag")} and ${count(keys, "key")} are deleted for good`;
}

/** Says how many of some meetings are on hold; empty if none are. */
export const describeHeld = (held: number): string => (held === 0 ? "" : ` (${held} of them on hold)`);

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
