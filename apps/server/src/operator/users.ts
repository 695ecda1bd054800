import { Email, Name } from "@minutes/contract";
import {
  createSession,
  createUser,
  endAllSessions,
  findUser,
  findWorkspace,
  joinWorkspace,
  listUsers,
  removeUser,
  setEmail,
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
    const { token } = await createSession(ctx.db, userId, "token", "minutes login");
    return { userId, token };
  }),
  signOut: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    return { userId, ended: await endAllSessions(ctx.db, ctx.actor, userId) };
  }),
  remove: sampleProcedure.input(UserRef).mutation(async ({ ctx, input: { email } }) => {
    const { userId } = await findUser(ctx.db, email);
    await removeUser(ctx.db, ctx.actor, userId);
    return { userId };
  }),
};
