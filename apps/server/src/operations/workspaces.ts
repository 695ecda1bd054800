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
import { schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { z } from "zod";
import { readSample } from "../demo/keys-file.js";
import { operation } from "./operation.js";

const { workspaces } = schema;

const Plan = z.enum(PLANS);
/** A workspace's id or name. */
const Ref = z.string().min(1);

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
    z.strictObject({ workspace: Ref, email: Email, role: z.enum(schema.ROLES).default("member") }),
    async ({ db }, { workspace, email, role }) => {
      const { id } = await findWorkspace(db, workspace);
      const { userId } = await findUser(db, email);
      await joinWorkspace(db, OPERATOR, userId, id, role);
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
