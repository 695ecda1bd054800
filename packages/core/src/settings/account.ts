import { AccountInput, NoInput } from "@minutes/contract";
import { disconnectApp, listApps } from "../keys/oauth/index.js";
import {
  addPasskey,
  createInvitation,
  createPasskeyRegistrationOptions,
  getAccount,
  listCompanyAccounts,
  listInvitations,
  listOwnSessions,
  listPasskeys,
  mailInvitation,
  markDisplayed,
  removeCompanyAccount,
  removePasskey,
  requirePasskeySite,
  revokeInvitation,
  setPassword,
} from "../sign-in/index.js";
import { endAllSessions, endSession } from "../sign-in/sessions/index.js";
import { setName } from "../workspaces/index.js";
import { type SettingsContext, settingsProcedure, toSuccess } from "./procedures.js";

/** The signed-in user's own account. */
export const account = {
  get: settingsProcedure.input(NoInput).query(({ ctx }) => getAccount(ctx.db, ctx.user.userId)),
  setName: settingsProcedure
    .input(AccountInput.name)
    .mutation(({ ctx, input }) => toSuccess(setName(ctx.db, ctx.actor, ctx.user.userId, input.name))),
  setPassword: settingsProcedure
    .input(AccountInput.password)
    .mutation(({ ctx, input }) => toSuccess(setPassword(ctx.db, ctx.user, input, ctx.visitor))),
  sessions: settingsProcedure.input(NoInput).query(({ ctx }) => listOwnSessions(ctx.db, ctx.user)),
  endSession: settingsProcedure
    .input(AccountInput.session)
    .mutation(({ ctx, input }) => toSuccess(endSession(ctx.db, ctx.user.userId, input.sessionId))),
  /** Signs the user out everywhere, here too. */
  endAllSessions: settingsProcedure.input(NoInput).mutation(async ({ ctx }) => ({
    ended: await endAllSessions(ctx.db, ctx.actor, ctx.user.userId),
  })),
  passkeys: settingsProcedure.input(NoInput).query(({ ctx }) => listPasskeys(ctx.db, ctx.user.userId)),
  /** The options for creating a passkey. Can be used once. */
  createPasskeyOptions: settingsProcedure
    .input(NoInput)
    .mutation(({ ctx }) => createPasskeyRegistrationOptions(ctx.db, requirePasskeySite(ctx), ctx.user)),
  addPasskey: settingsProcedure
    .input(AccountInput.newPasskey)
    .mutation(({ ctx, input }) => addPasskey(ctx.db, requirePasskeySite(ctx), ctx.user, input)),
  removePasskey: settingsProcedure
    .input(AccountInput.passkey)
    .mutation(({ ctx, input }) => toSuccess(removePasskey(ctx.db, ctx.user, input.passkeyId))),
  companyAccounts: settingsProcedure
    .input(NoInput)
    .query(({ ctx }) => listCompanyAccounts(ctx.db, ctx.user.userId)),
  removeCompanyAccount: settingsProcedure
    .input(AccountInput.companyAccount)
    .mutation(({ ctx, input }) => toSuccess(removeCompanyAccount(ctx.db, ctx.user, input.accountId))),
  /** Apps that the user connected with OAuth. */
  apps: settingsProcedure.input(NoInput).query(({ ctx }) => listApps(ctx.db, ctx.user.userId)),
  removeApp: settingsProcedure
    .input(AccountInput.app)
    .mutation(({ ctx, input }) => toSuccess(disconnectApp(ctx.db, ctx.user.userId, input.appId))),
};

/** Invitations to the workspace, for its admins. A link that was not mailed is only in the answer of `create`. */
export const invitations = {
  list: settingsProcedure
    .input(NoInput)
    .query(({ ctx }) => listInvitations(ctx.db, ctx.actor, ctx.user.workspaceId)),
  create: settingsProcedure
    .input(AccountInput.newInvitation)
    .mutation(({ ctx, input: { email, role } }) => createAndMailInvitation(ctx, email ?? null, role)),
  revoke: settingsProcedure
    .input(AccountInput.invitation)
    .mutation(({ ctx, input }) =>
      toSuccess(revokeInvitation(ctx.db, ctx.actor, ctx.user.workspaceId, input.invitationId)),
    ),
};

/**
 * Creates an invitation. Its link is mailed if possible; otherwise the answer has it for the admin to pass on. A link
 * can confirm an address only if nobody else has seen it.
 */
async function createAndMailInvitation(
  { db, actor, user, publicUrl, mailer }: SettingsContext,
  email: string | null,
  role: "admin" | "member",
) {
  const mails = mailer !== null && email !== null;
  const { id, token, expiresAt } = await createInvitation(db, actor, user.workspaceId, {
    ...{ email, role, mailed: mails },
  });
  const link = `${publicUrl}/invitation#${token}`;
  if (!mails) return { id, expiresAt, link, mailed: false };
  const { workspaceName } = await getAccount(db, user.userId);
  const mailed = await mailInvitation(mailer, { email, link, workspaceName }).then(
    () => true,
    () => false,
  );
  if (mailed) return { id, expiresAt, link: null, mailed };
  await markDisplayed(db, id);
  return { id, expiresAt, link, mailed };
}
