import { Email, Name } from "@minutes/contract";
import {
  changeMembership,
  createSession,
  createSignInToken,
  createUser,
  endAllSessions,
  findUser,
  findWorkspace,
  joinWorkspace,
  listCreatedCredentials,
  listMembers,
  listUsers,
  removeUser,
  setEmail,
  toSignInUrl,
} from "@minutes/core";
import { schema } from "@minutes/db";
import { z } from "zod";
import { operatorProcedure, sampleProcedure, UserRef, userProcedure } from "./procedures.js";
import { chooseRole } from "./workspaces.js";

const NewUser = z.strictObject({
  email: Email,
  name: Name.optional().describe("The part of the address before the @ when absent."),
  workspace: z.string().optional().describe("Id or name; a workspace of their own when absent."),
  role: z.enum(schema.ROLES).optional(),
});

/** The people whose meetings are stored. */
export const users = {
  add: operatorProcedure.input(NewUser).mutation(({ ctx, input: { email, name, workspace, role } }) =>
    ctx.db.transaction(async (tx) => {
      const joined = workspace === undefined ? null : await findWorkspace(tx, workspace);
      const user = { email, name: name ?? email.split("@")[0] ?? email };
      const { userId } = await createUser(tx, ctx.actor, user);
      if (joined) {
        const joinedRole = await chooseRole(tx, joined.id, userId, role);
        await joinWorkspace(tx, ctx.actor, userId, joined.id, joinedRole);
      }
      return findUser(tx, email);
    }),
  ),
  list: operatorProcedure.input(z.strictObject({})).query(({ ctx }) => listUsers(ctx.db)),
  setEmail: userProcedure
    .input(z.strictObject({ email: Email, to: Email }))
    .mutation(async ({ ctx, input: { to } }) => {
      await setEmail(ctx.db, ctx.actor, ctx.user.userId, to);
      return findUser(ctx.db, to);
    }),
  signIn: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    const { token } = await createSession(ctx.db, userId, "token", "minutes login", ctx.actor);
    const link = toSignInUrl(ctx.publicUrl.get(), await createSignInToken(ctx.db, userId));
    return { userId, token, link };
  }),
  signOut: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    return { userId, ended: await endAllSessions(ctx.db, ctx.actor, userId) };
  }),
  /** Answers with the credentials that the user created for their workspace, as `workspaces.removeMember` does. */
  remove: sampleProcedure
    .input(z.strictObject({ email: Email, revokeCredentials: z.boolean().default(false) }))
    .mutation(async ({ ctx: { db, actor }, input: { email, revokeCredentials } }) => {
      const { userId, workspaceId } = await findUser(db, email);
      const others = (await listMembers(db, workspaceId)).length > 1;
      const credentials = others ? await listCreatedCredentials(db, actor, workspaceId, userId) : [];
      await changeMembership(db, actor, { userId, workspaceId, revokeCredentials }, (tx) =>
        removeUser(tx, actor, userId),
      );
      return { userId, credentials };
    }),
};
