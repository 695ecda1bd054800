import { Email, Name, PLANS } from "@minutes/contract";
import {
  createWorkspace,
  findUser,
  findWorkspace,
  joinWorkspace,
  leaveWorkspace,
  listMembers,
  listWorkspaces,
  setPlan,
} from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { z } from "zod";
import { eraseWorkspace } from "./erase-workspace.js";
import { operatorProcedure, sampleProcedure, userProcedure } from "./procedures.js";

/** A workspace's id or name. */
const Workspace = z.string().min(1);
const Plan = z.enum(PLANS);
const NewWorkspace = z.strictObject({ name: Name, plan: Plan.default("free") });
const NewMember = z.strictObject({
  workspace: Workspace,
  email: Email,
  role: z.enum(schema.ROLES).optional(),
});

/** Workspaces, their plans and members. */
export const workspaces = {
  add: operatorProcedure.input(NewWorkspace).mutation(async ({ ctx, input }) => ({
    ...(await createWorkspace(ctx.db, ctx.actor, input)),
    ...input,
  })),
  list: operatorProcedure.input(z.strictObject({})).query(({ ctx }) => listWorkspaces(ctx.db)),
  plan: operatorProcedure
    .input(z.strictObject({ workspace: Workspace, plan: Plan }))
    .mutation(async ({ ctx, input: { workspace, plan } }) => {
      const { id, name } = await findWorkspace(ctx.db, workspace);
      await setPlan(ctx.db, ctx.actor, id, plan);
      return { id, name, plan };
    }),
  members: operatorProcedure
    .input(z.strictObject({ workspace: Workspace }))
    .query(async ({ ctx, input }) => listMembers(ctx.db, (await findWorkspace(ctx.db, input.workspace)).id)),
  /** Moves a user into the workspace, or changes the role of a member. */
  addMember: userProcedure.input(NewMember).mutation(async ({ ctx, input: { workspace, email, role } }) => {
    const { id } = await findWorkspace(ctx.db, workspace);
    const { userId } = ctx.user;
    await joinWorkspace(ctx.db, ctx.actor, userId, id, await chooseRole(ctx.db, id, userId, role));
    return findUser(ctx.db, email);
  }),
  /** Returns a member to a workspace of their own; changes nothing for anybody else. */
  removeMember: userProcedure
    .input(z.strictObject({ workspace: Workspace, email: Email }))
    .mutation(async ({ ctx, input: { workspace, email } }) => {
      const { id } = await findWorkspace(ctx.db, workspace);
      if (ctx.user.workspaceId === id) await leaveWorkspace(ctx.db, ctx.actor, ctx.user.userId);
      return findUser(ctx.db, email);
    }),
  /** Refuses while the workspace has members, unless they are to be erased with it. */
  remove: sampleProcedure
    .input(z.strictObject({ workspace: Workspace, eraseMembers: z.boolean().default(false) }))
    .mutation(({ ctx, input }) => eraseWorkspace(ctx, input)),
};

/** The given role; else the role of who is a member already, admin for the first member, and member for all others. */
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
