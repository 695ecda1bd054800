import { Email, Name, PLANS } from "@minutes/contract";
import {
  createWorkspace,
  findUser,
  findWorkspace,
  joinWorkspace,
  leaveWorkspace,
  listMembers,
  listWorkspaces,
  OPERATOR,
  removeUser,
  removeWorkspace,
  setPlan,
} from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { z } from "zod";
import { readSample } from "../demo/keys-file.js";
import { operation } from "./operation.js";

const { workspaces } = schema;

const Plan = z.enum(PLANS);
/** A workspace's id or name. */
const Ref = z.string().min(1);

/** Where no role is given: whoever comes first has to be an admin, who is there keeps his role, others are members. */
export async function roleIn(
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

export const workspaceOperations = {
  "workspaces.add": operation(
    z.strictObject({ name: Name, plan: Plan.default("free") }),
    async ({ db }, { name, plan }) => {
      const { id } = await createWorkspace(db, OPERATOR, { name, plan });
      return { id, name, plan };
    },
  ),

  "workspaces.list": operation(z.strictObject({}), ({ db }) => listWorkspaces(db)),

  "workspaces.plan": operation(
    z.strictObject({ workspace: Ref, plan: Plan }),
    async ({ db }, { workspace, plan }) => {
      const { id, name } = await findWorkspace(db, workspace);
      await setPlan(db, OPERATOR, id, plan);
      return { id, name, plan };
    },
  ),

  "workspaces.members": operation(z.strictObject({ workspace: Ref }), async ({ db }, { workspace }) => {
    const { id } = await findWorkspace(db, workspace);
    return listMembers(db, id);
  }),

  "workspaces.addMember": operation(
    z.strictObject({ workspace: Ref, email: Email, role: z.enum(schema.ROLES).optional() }),
    async ({ db }, { workspace, email, role }) => {
      const { id } = await findWorkspace(db, workspace);
      const { userId } = await findUser(db, email);
      await joinWorkspace(db, OPERATOR, userId, id, await roleIn(db, id, userId, role));
      return findUser(db, email);
    },
  ),

  "workspaces.removeMember": operation(
    z.strictObject({ workspace: Ref, email: Email }),
    async ({ db }, { workspace, email }) => {
      const { id } = await findWorkspace(db, workspace);
      const { userId, workspaceId } = await findUser(db, email);
      if (workspaceId === id) await leaveWorkspace(db, OPERATOR, userId);
      return findUser(db, email);
    },
  ),

  /** Refuses while it has members, unless they are to be erased with it. */
  "workspaces.remove": operation(
    z.strictObject({ workspace: Ref, eraseMembers: z.boolean().default(false) }),
    async ({ db, dataDir }, { workspace, eraseMembers }) => {
      const removed = await db.transaction(async (tx) => {
        const { id, name } = await findWorkspace(tx, workspace);
        const members = eraseMembers ? await listMembers(tx, id) : [];
        for (const { userId } of members) await removeUser(tx, OPERATOR, userId);
        // Where it was its last member's own, it went with him.
        const [left] = await tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id));
        if (left) await removeWorkspace(tx, OPERATOR, id);
        return { id, name, erasedUsers: members.length };
      });
      await readSample(db, dataDir);
      return removed;
    },
  ),
};
