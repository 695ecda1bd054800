import { IdentityInput, MESSAGES, NoInput } from "@minutes/contract";
import { ApiError } from "../errors.js";
import { endSessionByToken, findSessionUser } from "../sessions/index.js";
import { acceptInvitation, getInvitation } from "./invitations.js";
import { requestSignInLink } from "./mail.js";
import { createPasskeyChallenge, requirePasskeySite, signInWithPasskey } from "./passkeys.js";
import { createIdentityRouter, identityProcedure, replaceBrowserSession } from "./procedures.js";
import { completeSetup, needsSetup } from "./setup.js";
import { signInWithLink, signInWithPassword } from "./sign-in.js";

const session = {
  get: identityProcedure.input(NoInput).query(async ({ ctx: { db, sessionToken, ways } }) => ({
    signedIn: (await findSessionUser(db, sessionToken)) !== null,
    needsSetup: await needsSetup(db),
    ways,
  })),
  end: identityProcedure.input(NoInput).mutation(async ({ ctx: { db, sessionToken, setCookie } }) => {
    if (sessionToken !== undefined) await endSessionByToken(db, sessionToken);
    setCookie(null);
    return { success: true };
  }),
};

const setup = {
  complete: identityProcedure
    .input(IdentityInput.setup)
    .mutation(async ({ ctx, input }) =>
      replaceBrowserSession(ctx, await completeSetup(ctx.db, input, ctx.visitor.label)),
    ),
};

const link = {
  use: identityProcedure
    .input(IdentityInput.link)
    .mutation(async ({ ctx, input }) =>
      replaceBrowserSession(ctx, await signInWithLink(ctx.db, input.token, ctx.visitor, ctx.sessionToken)),
    ),
  /** Has the same answer for every address. */
  request: identityProcedure.input(IdentityInput.linkRequest).mutation(({ ctx, input }) => {
    if (!ctx.mail || !ctx.ways.magicLink) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
    requestSignInLink(ctx.db, ctx.mail, input.email, ctx.visitor.address);
    return { success: true };
  }),
};

const password = {
  signIn: identityProcedure.input(IdentityInput.password).mutation(async ({ ctx, input }) => {
    if (!ctx.ways.password) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
    return replaceBrowserSession(ctx, await signInWithPassword(ctx.db, input, ctx.visitor));
  }),
};

const passkey = {
  /** What the browser needs to ask its person for a passkey. Works once. */
  createChallenge: identityProcedure
    .input(NoInput)
    .mutation(({ ctx }) => createPasskeyChallenge(ctx.db, requirePasskeySite(ctx))),
  signIn: identityProcedure
    .input(IdentityInput.passkey)
    .mutation(async ({ ctx, input }) =>
      replaceBrowserSession(
        ctx,
        await signInWithPasskey(ctx.db, requirePasskeySite(ctx), input.response, ctx.visitor.label),
      ),
    ),
};

const invitations = {
  /** Reads, by POST: a token in an address would end up in the logs of proxies. */
  get: identityProcedure
    .input(IdentityInput.invitation)
    .mutation(({ ctx, input }) => getInvitation(ctx.db, input.token)),
  accept: identityProcedure.input(IdentityInput.acceptance).mutation(async ({ ctx, input }) => {
    const user = await findSessionUser(ctx.db, ctx.sessionToken);
    const session = await acceptInvitation(ctx.db, input, user?.userId ?? null, ctx.visitor.label);
    return session ? replaceBrowserSession(ctx, session) : { success: true as const };
  }),
};

/** What signs people in, `/identity/v1/*`. */
export const identityRouter = createIdentityRouter({ session, setup, link, password, passkey, invitations });
export type IdentityRouter = typeof identityRouter;
