import { AccountInput, NoInput } from "@minutes/contract";
import {
  addPasskey,
  createInvitation,
  createPasskeyOptions,
  getAccount,
  listCompanyAccounts,
  listInvitations,
  listOwnSessions,
  listPasskeys,
  mailInvitation,
  removeCompanyAccount,
  removePasskey,
  requirePasskeySite,
  revokeInvitation,
  setName,
  setPassword,
} from "../identity/index.js";
import { endSession } from "../sessions/index.js";
import { type SettingsContext, settingsProcedure, toSuccess } from "./procedures.js";

/** The signed-in person's own account. */
export const account = {
  get: settingsProcedure.input(NoInput).query(({ ctx }) => getAccount(ctx.db, ctx.user.userId)),
  setName: settingsProcedure
    .input(AccountInput.name)
    .mutation(({ ctx, input }) => toSuccess(setName(ctx.db, ctx.user.userId, input.name))),
  setPassword: settingsProcedure
    .input(AccountInput.password)
    .mutation(({ ctx, input }) => toSuccess(setPassword(ctx.db, ctx.user, input, ctx.address))),
  sessions: settingsProcedure.input(NoInput).query(({ ctx }) => listOwnSessions(ctx.db, ctx.user)),
  endSession: settingsProcedure
    .input(AccountInput.session)
    .mutation(({ ctx, input }) => toSuccess(endSession(ctx.db, ctx.user.userId, input.sessionId))),
  passkeys: settingsProcedure.input(NoInput).query(({ ctx }) => listPasskeys(ctx.db, ctx.user.userId)),
  /** What the browser needs to make a passkey. Works once. */
  createPasskeyOptions: settingsProcedure
    .input(NoInput)
    .mutation(({ ctx }) => createPasskeyOptions(ctx.db, requirePasskeySite(ctx), ctx.user)),
  addPasskey: settingsProcedure
    .input(AccountInput.newPasskey)
    .mutation(({ ctx, input }) => addPasskey(ctx.db, requirePasskeySite(ctx), ctx.user, input)),
  removePasskey: settingsProcedure
    .input(AccountInput.passkey)
    .mutation(({ ctx, input }) => toSuccess(removePasskey(ctx.db, ctx.user.userId, input.passkeyId))),
  companyAccounts: settingsProcedure
    .input(NoInput)
    .query(({ ctx }) => listCompanyAccounts(ctx.db, ctx.user.userId)),
  removeCompanyAccount: settingsProcedure
    .input(AccountInput.companyAccount)
    .mutation(({ ctx, input }) => toSuccess(removeCompanyAccount(ctx.db, ctx.user.userId, input.accountId))),
};

/** Invitations to the workspace, by its admins. The link is in the answer of `create` alone. */
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

/** Creates an invitation and mails it where it has an address. `mailed` is false when the link must be passed on. */
async function createAndMailInvitation(
  { db, user, publicUrl, mailer }: SettingsContext,
  email: string | null,
  role: "admin" | "member",
) {
  const actor = { kind: "user", userId: user.userId } as const;
  const { token, ...invitation } = await createInvitation(db, actor, user.workspaceId, { email, role });
  const link = `${publicUrl}/invitation#${token}`;
  if (!mailer || email === null) return { ...invitation, link, mailed: false };
  const { workspaceName } = await getAccount(db, user.userId);
  const mailed = await mailInvitation(mailer, { email, link, workspaceName }).then(
    () => true,
    () => false,
  );
  return { ...invitation, link, mailed };
}
