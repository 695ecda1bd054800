import * as contract from "@minutes/contract";
import { IdentityInput, MESSAGES, NoInput } from "@minutes/contract";
import { implement } from "../api/index.js";
import { disconnectApp, listApps } from "../keys/oauth/index.js";
import { ApiError } from "../lib/errors.js";
import type { Mailer } from "../lib/mailer.js";
import { setName } from "../workspaces/index.js";
import { getAccount, listOwnSessions, setPassword } from "./account.js";
import { listCompanyAccounts, removeCompanyAccount } from "./company-accounts.js";
import {
  acceptInvitation,
  getInvitation,
  inviteAndMail,
  listInvitations,
  mailToInvited,
  revokeInvitation,
} from "./invitations.js";
import { createMemberLink, findSignInLinkUser } from "./links.js";
import { requestSignInLink } from "./mail.js";
import {
  addPasskey,
  createPasskeyRegistrationOptions,
  createPasskeySignInOptions,
  findPasskeySite,
  listPasskeys,
  removePasskey,
  requirePasskeySite,
  signInWithPasskey,
} from "./passkeys.js";
import { createIdentityRouter, identityProcedure, replaceBrowserSession } from "./procedures.js";
import { endAllSessions, endSession, endSessionByToken, findSessionUser } from "./sessions/index.js";
import { completeSetup, needsSetup } from "./setup.js";
import { signInWithLink, signInWithPassword } from "./sign-in.js";

declare module "../api/index.js" {
  interface Services {
    /** The enabled sign-in methods. */
    readonly signIn: readonly string[];
    /** Returns the installation's public origin. */
    readonly publicUrl: () => string;
    /** Null without a mail server. */
    readonly mailer: Mailer | null;
  }
}

/** The signed-in user's own account. */
export const account = {
  get: implement(contract.getAccount, ({ db, caller }) => getAccount(db, caller.userId)),
  setName: implement(contract.setName, ({ db, caller, input }) =>
    setName(db, caller, caller.userId, input.name),
  ),
  setPassword: implement(contract.setPassword, ({ db, caller, input, visitor }) =>
    setPassword(db, caller, input, visitor),
  ),
  sessions: implement(contract.listSessions, ({ db, caller }) => listOwnSessions(db, caller)),
  endSession: implement(contract.endSession, ({ db, caller, input }) =>
    endSession(db, caller.userId, input.sessionId),
  ),
  endAllSessions: implement(contract.endAllSessions, async ({ db, caller }) => ({
    ended: await endAllSessions(db, caller, caller.userId),
  })),
  passkeys: implement(contract.listPasskeys, ({ db, caller }) => listPasskeys(db, caller.userId)),
  createPasskeyOptions: implement(contract.createPasskeyOptions, ({ db, caller, services }) =>
    createPasskeyRegistrationOptions(db, findPasskeySite(services), caller),
  ),
  addPasskey: implement(contract.addPasskey, ({ db, caller, services, input }) =>
    addPasskey(db, findPasskeySite(services), caller, input),
  ),
  removePasskey: implement(contract.removePasskey, ({ db, caller, input }) =>
    removePasskey(db, caller, input.passkeyId),
  ),
  companyAccounts: implement(contract.listCompanyAccounts, ({ db, caller }) =>
    listCompanyAccounts(db, caller.userId),
  ),
  removeCompanyAccount: implement(contract.removeCompanyAccount, ({ db, caller, input }) =>
    removeCompanyAccount(db, caller, input.accountId),
  ),
  apps: implement(contract.listApps, ({ db, caller }) => listApps(db, caller.userId)),
  removeApp: implement(contract.removeApp, ({ db, caller, input }) =>
    disconnectApp(db, caller.userId, input.appId),
  ),
};

/** Invitations to the workspace, for its admins. A link that was not mailed is only in the answer of `create`. */
export const workspaceInvitations = {
  list: implement(contract.listInvitations, ({ db, caller }) => listInvitations(db, caller)),
  create: implement(contract.createInvitation, ({ db, caller, services, input }) =>
    inviteAndMail(db, caller, input, services),
  ),
  revoke: implement(contract.revokeInvitation, ({ db, caller, input }) =>
    revokeInvitation(db, caller, input.invitationId),
  ),
};

const session = {
  get: identityProcedure.input(NoInput).query(async ({ ctx }) => {
    const { db, sessionToken, ways, sampleEmail, command } = ctx;
    return {
      signedIn: (await findSessionUser(db, sessionToken)) !== null,
      needsSetup: await needsSetup(db, ways),
      ways,
      sampleEmail,
      command,
    };
  }),
  end: identityProcedure.input(NoInput).mutation(async ({ ctx: { db, sessionToken, cookies } }) => {
    if (sessionToken !== undefined) await endSessionByToken(db, sessionToken);
    cookies.setSession(null);
    return { success: true };
  }),
};

const setup = {
  complete: identityProcedure
    .input(IdentityInput.setup)
    .mutation(async ({ ctx, input }) =>
      replaceBrowserSession(ctx, await completeSetup(ctx.db, ctx.ways, input, ctx.visitor)),
    ),
};

const link = {
  /**
   * The link's user, and the user signed in here, who would be signed out. A read, but by POST, as `invitations.get`.
   */
  get: identityProcedure.input(IdentityInput.link).mutation(async ({ ctx: { db, sessionToken }, input }) => {
    const { userId, email } = await findSignInLinkUser(db, input.token);
    const present = await findSessionUser(db, sessionToken);
    const replaces =
      present && present.userId !== userId ? (await getAccount(db, present.userId)).email : null;
    return { email, replaces };
  }),
  /** Also returns an invitation back to the workspace that the account left because the link confirmed its address. */
  use: identityProcedure.input(IdentityInput.link).mutation(async ({ ctx, input }) => {
    const { session, invitation } = await signInWithLink(ctx.db, input.token, ctx.visitor, ctx.sessionToken);
    return { ...(await replaceBrowserSession(ctx, session)), invitation };
  }),
  /** Gives the same answer for every address. */
  request: identityProcedure.input(IdentityInput.linkRequest).mutation(({ ctx, input }) => {
    if (!ctx.mail || !ctx.ways.magicLink) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
    requestSignInLink(ctx.db, ctx.mail, input.email, ctx.visitor);
    return { success: true };
  }),
};

const password = {
  signIn: identityProcedure.input(IdentityInput.password).mutation(async ({ ctx, input }) => {
    if (!ctx.ways.password) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
    return replaceBrowserSession(ctx, await signInWithPassword(ctx.db, input, ctx.visitor, ctx.onFault));
  }),
};

const passkey = {
  /** The options for asking for a passkey. Can be used once. */
  createChallenge: identityProcedure
    .input(NoInput)
    .mutation(({ ctx }) => createPasskeySignInOptions(ctx.db, requirePasskeySite(ctx))),
  signIn: identityProcedure
    .input(IdentityInput.passkey)
    .mutation(async ({ ctx, input }) =>
      replaceBrowserSession(
        ctx,
        await signInWithPasskey(ctx.db, requirePasskeySite(ctx), input.response, ctx.visitor),
      ),
    ),
};

const invitations = {
  /** A read, but by POST: a token in a URL would end up in proxy logs. */
  get: identityProcedure.input(IdentityInput.invitation).mutation(async ({ ctx, input }) => {
    const { mailed, ...invitation } = await getInvitation(ctx.db, input.token);
    /** True: who has no account is sent another link first, by e-mail. */
    return { ...invitation, sendsMail: ctx.mail !== null && !mailed };
  }),
  accept: identityProcedure.input(IdentityInput.acceptance).mutation(async ({ ctx, input }) => {
    const user = await findSessionUser(ctx.db, ctx.sessionToken);
    if (!user && ctx.mail && (await mailToInvited(ctx.db, ctx.mail, input)))
      return { success: true as const, mailed: true };
    const session = await acceptInvitation(ctx.db, input, user?.userId ?? null, ctx.visitor);
    return session ? replaceBrowserSession(ctx, session) : { success: true as const };
  }),
};

/** The sign-in procedures, `/identity/v1/*`. */
export const identityRouter = createIdentityRouter({ session, setup, link, password, passkey, invitations });
export type IdentityRouter = typeof identityRouter;

/** Links by which an admin gets members back in. */
export const memberLinks = {
  createSignInLink: implement(contract.createMemberSignInLink, ({ db, caller, input }) =>
    createMemberLink(db, caller, input.userId),
  ),
};
