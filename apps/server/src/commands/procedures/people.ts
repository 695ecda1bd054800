import { ListPeople, MESSAGES, MergePeople, PersonRef, RenamePerson, UnmergePerson } from "@minutes/contract";
import {
  ApiError,
  audit,
  type Directory,
  findWorkspace,
  getPerson,
  listPeople,
  mergePeople,
  ownedByMembers,
  renamePerson,
  unmergePerson,
} from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

const { people: table } = schema;

/** Returns the directory of a workspace, as a workspace key sees it. */
const toDirectory = (workspaceId: string): Directory => ({
  scope: ownedByMembers({ workspaceId }),
  workspaceId,
});

/** Returns the workspace that a person belongs to. @throws ApiError 404 */
async function requireWorkspace(db: Database, personId: string): Promise<string> {
  const [person] = await db
    .select({ workspaceId: table.workspaceId })
    .from(table)
    .where(eq(table.id, personId));
  if (!person) throw new ApiError("NOT_FOUND", MESSAGES.personNotFound);
  return person.workspaceId;
}

/** The directories of people in members' meetings. Reading them is recorded in the audit log. */
export const people = {
  list: operatorProcedure
    .input(ListPeople.unwrap().extend({ workspace: z.string().min(1) }))
    .query(async ({ ctx: { db, actor }, input: { workspace, ...page } }) => {
      const { id } = await findWorkspace(db, workspace);
      await audit(db, actor, "person.list", id);
      return listPeople(db, toDirectory(id), page);
    }),
  show: operatorProcedure.input(PersonRef).query(async ({ ctx: { db, actor }, input: { personId } }) => {
    const workspaceId = await requireWorkspace(db, personId);
    await audit(db, actor, "person.show", personId, workspaceId);
    return getPerson(db, toDirectory(workspaceId), personId);
  }),
  rename: operatorProcedure.input(RenamePerson).mutation(({ ctx: { db, actor }, input }) =>
    db.transaction(async (tx) => {
      const workspaceId = await requireWorkspace(tx, input.personId);
      const { personId: id, ...changed } = await renamePerson(tx, workspaceId, input);
      await audit(tx, actor, "person.rename", id, workspaceId);
      return { id, name: input.name, ...changed };
    }),
  ),
  merge: operatorProcedure.input(MergePeople).mutation(({ ctx: { db, actor }, input }) =>
    db.transaction(async (tx) => {
      const workspaceId = await requireWorkspace(tx, input.personId);
      const { personId: id, ...changed } = await mergePeople(tx, workspaceId, input);
      if (!input.dryRun) await audit(tx, actor, "person.merge", input.personId, workspaceId);
      return { id, merged: !input.dryRun, ...changed };
    }),
  ),
  unmerge: operatorProcedure.input(UnmergePerson).mutation(({ ctx: { db, actor }, input }) =>
    db.transaction(async (tx) => {
      const workspaceId = await requireWorkspace(tx, input.personId);
      const { personId: id, ...changed } = await unmergePerson(tx, workspaceId, input);
      await audit(tx, actor, "person.unmerge", id, workspaceId);
      return { id, ...changed };
    }),
  ),
};
