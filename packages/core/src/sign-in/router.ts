import * as contract from "@minutes/contract";
import { createRouter, implement } from "../api/index.js";
import { disconnectApp, listApps } from "../keys/oauth/index.js";
import { setName } from "../workspaces/index.js";
import { getAccount, listOwnSessions, setPassword } from "./account.js";
import {
  getSignIn,
  getSignInLink,
  listWays,
  replaceBrowserSession,
  requireWay,
  type SignInServices,
  signOut,
  toMail,
} from "./browser.js";
import { listCompanyAccounts, removeCompanyAccount } from "./company-accounts.js";
import {
  acceptInvitation,
  inviteAndMail,
  listInvitations,
  mailToInvited,
  revokeInvitation,
  showInvitation,
} from "./invitations.js";
import { createMemberLink } from "./links.js";
import { requestSignInLink } from "./mail.js";
import {
  addPasskey,
  createPasskeyRegistrationOptions,
  createPasskeySignInOptions,
  findPasskeySite,
  listPasskeys,
  removePasskey,
  signInWithPasskey,
} from "./passkeys.js";
import { endAllSessions, endSession, findSessionUser } from "./sessions/manage.js";
import { completeSetup } from "./setup.js";
import { signInWithLink, signInWithPassword } from "./sign-in.js";

declare module "../api/index.js" {
  interface Services extends SignInServices {}
}

/** The signed-in user's own account. */
export const account = {
  get: implement(contract.getAccount, async ({ db, caller, services }) => ({
    ...(await getAccount(db, caller.userId)),
    writesSummaries: services.summaries.enabled,
  })),
  update: implement(contract.updateAccount, ({ db, caller, input }) =>
    setName(db, caller, caller.userId, input.name),
  ),
  setPassword: implement(contract.setPassword, ({ db, caller, input, visitor }) =>
    setPassword(db, caller, input, visitor),
  ),
  listSessions: implement(contract.listSessions, ({ db, caller }) => listOwnSessions(db, caller)),
  endSession: implement(contract.endSession, ({ db, caller, input }) =>
    endSession(db, caller.userId, input.sessionId),
  ),
  endAllSessions: implement(contract.endAllSessions, async ({ db, caller }) => ({
    ended: await endAllSessions(db, caller, caller.userId),
  })),
  listPasskeys: implement(contract.listPasskeys, ({ db, caller }) => listPasskeys(db, caller.userId)),
  createPasskeyOptions: implement(contract.createPasskeyOptions, ({ db, caller, services }) =>
    createPasskeyRegistrationOptions(db, findPasskeySite(services), caller),
  ),
  createPasskey: implement(contract.createPasskey, ({ db, caller, services, input }) =>
    addPasskey(db, findPasskeySite(services), caller, input),
  ),
  deletePasskey: implement(contract.deletePasskey, ({ db, caller, input }) =>
    removePasskey(db, caller, input.passkeyId),
  ),
  listCompanyAccounts: implement(contract.listCompanyAccounts, ({ db, caller }) =>
    listCompanyAccounts(db, caller.userId),
  ),
  deleteCompanyAccount: implement(contract.deleteCompanyAccount, ({ db, caller, input }) =>
    removeCompanyAccount(db, caller, input.accountId),
  ),
  listApps: implement(contract.listApps, ({ db, caller }) => listApps(db, caller.userId)),
  deleteApp: implement(contract.deleteApp, ({ db, caller, input }) =>
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

/** The sign-in operations, `/identity/v1/*`. */
export const identityRouter = createRouter({
  session: {
    get: implement(contract.getSignIn, ({ db, caller, services }) => getSignIn(db, caller, services)),
    end: implement(contract.signOut, ({ db, caller }) => signOut(db, caller)),
  },
  setup: {
    complete: implement(contract.completeSetup, async ({ db, caller, services, input }) =>
      replaceBrowserSession(db, caller, await completeSetup(db, listWays(services), input, caller)),
    ),
  },
  link: {
    get: implement(contract.getSignInLink, ({ db, caller, input }) => getSignInLink(db, caller, input.token)),
    use: implement(contract.useSignInLink, async ({ db, caller, input }) => {
      const { session, invitation } = await signInWithLink(db, input.token, caller);
      await replaceBrowserSession(db, caller, session);
      return { success: true as const, invitation };
    }),
    request: implement(contract.requestSignInLink, ({ db, caller, services, input }) => {
      requireWay(services, "magicLink");
      const mail = toMail(services, caller);
      if (mail) requestSignInLink(db, mail, input.email, caller);
    }),
  },
  password: {
    signIn: implement(contract.signInWithPassword, async ({ db, caller, services, input }) => {
      requireWay(services, "password");
      return replaceBrowserSession(db, caller, await signInWithPassword(db, input, caller));
    }),
  },
  passkey: {
    createChallenge: implement(contract.createPasskeyChallenge, ({ db, services }) =>
      createPasskeySignInOptions(db, findPasskeySite(services)),
    ),
    signIn: implement(contract.signInWithPasskey, async ({ db, caller, services, input }) =>
      replaceBrowserSession(
        db,
        caller,
        await signInWithPasskey(db, findPasskeySite(services), input.response, caller),
      ),
    ),
  },
  invitations: {
    get: implement(contract.getInvitation, async ({ db, caller, services, input }) => {
      const user = await findSessionUser(db, caller.sessionToken);
      return showInvitation(db, input.token, user?.userId ?? null, services.mailer !== null);
    }),
    accept: implement(contract.acceptInvitation, async ({ db, caller, services, input }) => {
      const user = await findSessionUser(db, caller.sessionToken);
      const mail = toMail(services, caller);
      if (!user && mail && (await mailToInvited(db, mail, input)))
        return { success: true as const, mailed: true as const };
      const session = await acceptInvitation(db, input, user?.userId ?? null, caller);
      if (session) await replaceBrowserSession(db, caller, session);
      return { success: true as const };
    }),
  },
});
export type IdentityRouter = typeof identityRouter;

/** Links by which an admin gets members back in. */
export const memberLinks = {
  createSignInLink: implement(contract.createMemberSignInLink, ({ db, caller, input }) =>
    createMemberLink(db, caller, input.userId),
  ),
};
