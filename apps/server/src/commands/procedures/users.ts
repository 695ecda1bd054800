import { createSession, createSignInToken, toSignInUrl } from "@minutes/core";
import { UserRef, userProcedure } from "../operator/procedures.js";

/** How the operator signs users in. */
export const users = {
  createSignInLink: userProcedure.input(UserRef).mutation(async ({ ctx }) => ({
    link: toSignInUrl(ctx.publicUrl.get(), await createSignInToken(ctx.db, ctx.user.userId)),
  })),
  signIn: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    const { token } = await createSession(ctx.db, userId, "token", "minutes login", ctx.caller);
    const link = toSignInUrl(ctx.publicUrl.get(), await createSignInToken(ctx.db, userId));
    return { id: userId, token, link };
  }),
};
