import { createSession, createSignInToken, endAllSessions, toSignInUrl } from "@minutes/core";
import { UserRef, userProcedure } from "../operator/procedures.js";

/** How the operator signs users in and out. */
export const users = {
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
};
