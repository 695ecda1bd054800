import { Email, Name } from "@minutes/contract";
import {
  changeMembership,
  createSession,
  createSignInToken,
  createUser,
  endAllSessions,
  eraseUser,
  findUser,
  findUserByEmailOrId,
  findWorkspace,
  joinWorkspace,
  listCreatedCredentials,
  listMembers,
  listUsers,
  setEmail,
  setName,
  toSignInUrl,
} from "@minutes/core";
import { schema } from "@minutes/db";
import { z } from "zod";
import { operatorProcedure, sampleProcedure, UserRef, userProcedure } from "../operator/procedures.js";
import { chooseRole, toUser } from "./membership.js";

const NewUser = z.strictObject({
  email: Email,
  name: Name.optional().describe("Defaults to the part of the address before the @."),
  workspace: z.string().optional().describe("Id or name; defaults to a new workspace of their own."),
  role: z.enum(schema.ROLES).optional(),
});

/** The people whose meetings are stored. */
export const users = {
  create: operatorProcedure.input(NewUser).mutation(({ ctx, input: { email, name, workspace, role } }) =>
    ctx.db.transaction(async (tx) => {
      const joined = workspace === undefined ? null : await findWorkspace(tx, workspace);
      const user = { email, name: name ?? email.split("@")[0] ?? email };
      const { userId } = await createUser(tx, ctx.actor, user);
      if (joined) {
        const joinedRole = await chooseRole(tx, joined.id, userId, role);
        await joinWorkspace(tx, ctx.actor, userId, joined.id, joinedRole);
      }
      return toUser(await findUser(tx, email));
    }),
  ),
  list: operatorProcedure
    .input(z.strictObject({}))
    .query(async ({ ctx }) => (await listUsers(ctx.db)).map(toUser)),
  show: userProcedure.input(UserRef).query(async ({ ctx: { db, user } }) => {
    const { name: workspace } = await findWorkspace(db, user.workspaceId);
    return toUser({ ...user, workspace });
  }),
  rename: userProcedure
    .input(z.strictObject({ user: z.string(), name: Name }))
    .mutation(async ({ ctx, input: { name } }) => {
      await setName(ctx.db, ctx.actor, ctx.user.userId, name);
      return toUser({ ...ctx.user, name });
    }),
  setEmail: userProcedure
    .input(z.strictObject({ user: z.string(), to: Email }))
    .mutation(async ({ ctx, input: { to } }) => {
      await setEmail(ctx.db, ctx.actor, ctx.user.userId, to);
      return toUser(await findUser(ctx.db, to));
    }),
  signIn: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    const { token } = await createSession(ctx.db, userId, "token", "minutes login", ctx.actor);
    const link = toSignInUrl(ctx.publicUrl.get(), await createSignInToken(ctx.db, userId));
    return { id: userId, token, link };
  }),
  signOut: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    return { id: userId, ended: await endAllSessions(ctx.db, ctx.actor, userId) };
  }),
  /** Returns the credentials that the user created for their workspace, as `workspaces.removeMember` does. */
  delete: sampleProcedure
    .input(z.strictObject({ user: z.string(), revokeCredentials: z.boolean().default(false) }))
    .mutation(async ({ ctx: { db, actor }, input: { user, revokeCredentials } }) => {
      const { userId, workspaceId } = await findUserByEmailOrId(db, user);
      const others = (await listMembers(db, workspaceId)).length > 1;
      const credentials = others ? await listCreatedCredentials(db, actor, workspaceId, userId) : [];
      await changeMembership(db, actor, { userId, workspaceId, revokeCredentials }, (tx) =>
        eraseUser(tx, actor, userId),
      );
      return { id: userId, credentials };
    }),
};
