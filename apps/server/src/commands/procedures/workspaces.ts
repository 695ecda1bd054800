import { Name, PLANS } from "@minutes/contract";
import {
  changeMembership,
  createWorkspace,
  eraseUser,
  findUser,
  findWorkspace,
  joinWorkspace,
  leaveWorkspace,
  listCreatedCredentials,
  listMembers,
  listWorkspaces,
  removeWorkspace,
  renameWorkspace,
  revokeWorkspaceCredentials,
  setPlan,
} from "@minutes/core";
import { schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { z } from "zod";
import {
  type OperatorContext,
  operatorProcedure,
  sampleProcedure,
  userProcedure,
} from "../operator/procedures.js";
import { chooseRole, toUser } from "./membership.js";

/** A workspace's id or name. */
const Workspace = z.string().min(1);
const Plan = z.enum(PLANS);
const NewWorkspace = z.strictObject({ name: Name, plan: Plan.default("free") });
const NewMember = z.strictObject({
  workspace: Workspace,
  user: z.string(),
  role: z.enum(schema.ROLES).optional(),
  revokeCredentials: z.boolean().default(false),
});

/** Workspaces, their plans and members. */
export const workspaces = {
  create: operatorProcedure.input(NewWorkspace).mutation(async ({ ctx, input }) => ({
    ...(await createWorkspace(ctx.db, ctx.actor, input)),
    ...input,
  })),
  list: operatorProcedure.input(z.strictObject({})).query(({ ctx }) => listWorkspaces(ctx.db)),
  show: operatorProcedure
    .input(z.strictObject({ workspace: Workspace }))
    .query(async ({ ctx: { db }, input }) => {
      const workspace = await findWorkspace(db, input.workspace);
      return { ...workspace, members: (await listMembers(db, workspace.id)).length };
    }),
  rename: operatorProcedure
    .input(z.strictObject({ workspace: Workspace, name: Name }))
    .mutation(async ({ ctx, input: { workspace, name } }) => {
      const found = await findWorkspace(ctx.db, workspace);
      await renameWorkspace(ctx.db, ctx.actor, found.id, name);
      return { ...found, name };
    }),
  setPlan: operatorProcedure
    .input(z.strictObject({ workspace: Workspace, plan: Plan }))
    .mutation(async ({ ctx, input: { workspace, plan } }) => {
      const { id, name } = await findWorkspace(ctx.db, workspace);
      await setPlan(ctx.db, ctx.actor, id, plan);
      return { id, name, plan };
    }),
  members: operatorProcedure.input(z.strictObject({ workspace: Workspace })).query(async ({ ctx, input }) => {
    const { id } = await findWorkspace(ctx.db, input.workspace);
    return (await listMembers(ctx.db, id)).map(toUser);
  }),
  /**
   * Moves a user into the workspace, or changes a member's role. Returns the credentials that they created for a
   * workspace they leave or whose admin they no longer are.
   */
  addMember: userProcedure
    .input(NewMember)
    .mutation(async ({ ctx: { db, actor, user }, input: { workspace, role, revokeCredentials } }) => {
      const { id } = await findWorkspace(db, workspace);
      const chosen = await chooseRole(db, id, user.userId, role);
      // Former members and admins may have created credentials there.
      const losesRights = user.workspaceId !== id || chosen !== "admin";
      const from = { userId: user.userId, workspaceId: user.workspaceId, revokeCredentials };
      const credentials = losesRights
        ? await listCreatedCredentials(db, actor, from.workspaceId, from.userId)
        : [];
      await changeMembership(db, actor, from, (tx) => joinWorkspace(tx, actor, user.userId, id, chosen));
      return { ...toUser(await findUser(db, user.email)), credentials };
    }),
  /**
   * Returns a member to their own workspace; no-op if they have already left. Returns the credentials that they created
   * for the workspace, which remain valid unless `revokeCredentials` is set.
   */
  removeMember: userProcedure
    .input(
      z.strictObject({
        workspace: Workspace,
        user: z.string(),
        revokeCredentials: z.boolean().default(false),
      }),
    )
    .mutation(async ({ ctx: { db, actor, user }, input: { workspace, revokeCredentials } }) => {
      const { id } = await findWorkspace(db, workspace);
      const from = { userId: user.userId, workspaceId: id, revokeCredentials };
      const credentials = await listCreatedCredentials(db, actor, id, user.userId);
      await changeMembership(db, actor, from, async (tx) => {
        if (user.workspaceId === id) await leaveWorkspace(tx, actor, user.userId);
      });
      return { ...toUser(await findUser(db, user.email)), credentials };
    }),
  /** Revokes all keys, sessions, ingest keys and links of a workspace. */
  revokeCredentials: operatorProcedure
    .input(z.strictObject({ workspace: Workspace }))
    .mutation(async ({ ctx, input }) =>
      revokeWorkspaceCredentials(ctx.db, ctx.actor, (await findWorkspace(ctx.db, input.workspace)).id),
    ),
  /** Refuses if the workspace has members, unless they are to be erased with it. */
  delete: sampleProcedure
    .input(z.strictObject({ workspace: Workspace, eraseMembers: z.boolean().default(false) }))
    .mutation(({ ctx, input }) => eraseWorkspace(ctx, input)),
};

/**
 * Removes a workspace in one transaction, optionally with its members and all their data.
 * @throws ApiError 404, and 409 for a workspace with members who must not be erased
 */
async function eraseWorkspace(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  { workspace, eraseMembers }: { workspace: string; eraseMembers: boolean },
) {
  const table = schema.workspaces;
  return db.transaction(async (tx) => {
    const { id, name } = await findWorkspace(tx, workspace);
    const members = eraseMembers ? await listMembers(tx, id) : [];
    for (const { userId } of members) await eraseUser(tx, actor, userId);
    // A workspace owned by its last member is gone with that member.
    const [left] = await tx.select({ id: table.id }).from(table).where(eq(table.id, id));
    if (left) await removeWorkspace(tx, actor, id);
    return { id, name, erasedUsers: members.length };
  });
}
