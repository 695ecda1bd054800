import type { ChangedPerson, MergePeople, UnmergePerson, UpdatePerson } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import { type Caller, readableBy, type UserCaller } from "../../access/index.js";
import { requireAdmin } from "../../workspaces/index.js";
import type { Directory } from "./list-people.js";
import { mergePeople, unmergePerson, updatePerson } from "./merge.js";

const { members } = schema;

/** Opens the directory of the caller's workspace, with the people of meetings that the caller can read. */
export const openDirectory = async (db: Database, caller: Caller): Promise<Directory> => ({
  scope: readableBy(caller),
  workspaceId: caller.kind === "workspace" ? caller.workspaceId : await findWorkspaceOfUser(db, caller),
});

/** Returns the workspace of a user; an empty text if they have none, and so no directory. */
async function findWorkspaceOfUser(db: Database, { userId }: UserCaller): Promise<string> {
  const [member] = await db
    .select({ workspaceId: members.workspaceId })
    .from(members)
    .where(eq(members.userId, userId));
  return member?.workspaceId ?? "";
}

/** Requires a workspace key or an admin. @returns the workspace. @throws ApiError 403 */
async function requireDirectory(db: Database, caller: Caller): Promise<string> {
  if (caller.kind === "workspace") return caller.workspaceId;
  const workspaceId = await findWorkspaceOfUser(db, caller);
  await requireAdmin(db, caller, workspaceId);
  return workspaceId;
}

/** Renames a person for an admin or a workspace key. @throws ApiError 403, 404 */
export const updateAs = (db: Database, caller: Caller, input: UpdatePerson): Promise<ChangedPerson> =>
  db.transaction(async (tx) => {
    const workspaceId = await requireDirectory(tx, caller);
    const changed = await updatePerson(tx, workspaceId, input);
    await audit(tx, caller, "person.rename", changed.personId, workspaceId);
    return changed;
  });

/** Merges two people for an admin or a workspace key. @throws ApiError 400, 403, 404 */
export const mergeAs = (db: Database, caller: Caller, input: MergePeople): Promise<ChangedPerson> =>
  db.transaction(async (tx) => {
    const workspaceId = await requireDirectory(tx, caller);
    const changed = await mergePeople(tx, workspaceId, input);
    if (!input.dryRun) await audit(tx, caller, "person.merge", input.personId, workspaceId);
    return changed;
  });

/** Undoes a merge for an admin or a workspace key. @throws ApiError 403, 404, 409 */
export const unmergeAs = (db: Database, caller: Caller, input: UnmergePerson): Promise<ChangedPerson> =>
  db.transaction(async (tx) => {
    const workspaceId = await requireDirectory(tx, caller);
    const changed = await unmergePerson(tx, workspaceId, input);
    await audit(tx, caller, "person.unmerge", input.personId, workspaceId);
    return changed;
  });
