import { Email, Name, PLANS } from "@minutes/contract";
import {
  changeMembership,
  createWorkspace,
  findUser,
  findWorkspace,
  joinWorkspace,
  leaveWorkspace,
  listCreatedCredentials,
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
  revokeCredentials: z.boolean().default(false),
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
  /**
   * Moves a user into the workspace, or changes the role of a member. Answers with the credentials that they created
   * for the workspace that they leave or whose admin they no longer are.
   */
  addMember: userProcedure
    .input(NewMember)
    .mutation(async ({ ctx: { db, actor, user }, input: { workspace, role, revokeCredentials } }) => {
      const { id } = await findWorkspace(db, workspace);
      const chosen = await chooseRole(db, id, user.userId, role);
      // Whoever leaves a workspace or stops being its admin may have created credentials there.
      const losesRights = user.workspaceId !== id || chosen !== "admin";
      const from = { userId: user.userId, workspaceId: user.workspaceId, revokeCredentials };
      const credentials = losesRights
        ? await listCreatedCredentials(db, actor, from.workspaceId, from.userId)
        : [];
      await changeMembership(db, actor, from, (tx) => joinWorkspace(tx, actor, user.userId, id, chosen));
      return { ...(await findUser(db, user.email)), credentials };
    }),
  /**
   * Returns a member to a workspace of their own; somebody who has left already stays where they are. Answers with the
   * credentials that they created for the workspace, which work on unless `revokeCredentials` is set.
   */
  removeMember: userProcedure
    .input(
      z.strictObject({ workspace: Workspace, email: Email, revokeCredentials: z.boolean().default(false) }),
    )
    .mutation(async ({ ctx: { db, actor, user }, input: { workspace, revokeCredentials } }) => {
      const { id } = await findWorkspace(db, workspace);
      const from = { userId: user.userId, workspaceId: id, revokeCredentials };
      const credentials = await listCreatedCredentials(db, actor, id, user.userId);
      await changeMembership(db, actor, from, async (tx) => {
        if (user.workspaceId === id) await leaveWorkspace(tx, actor, user.userId);
      });
      return { ...(await findUser(db, user.email)), credentials };
    }),
  /** Refuses while the workspace has members, unless they are to be erased with it. */
  remove: sampleProcedure
    .input(z.strictObject({ workspace: Workspace, eraseMembers: z.boolean().default(false) }))
    .mutation(({ ctx, input }) => eraseWorkspace(ctx, input)),
};

/** Chooses the given role; else the present role of a member, admin for the first member, and member for all others. */
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
