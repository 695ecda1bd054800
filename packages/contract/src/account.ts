import { z } from "zod";
import { createdBy, nullableInstant } from "./credentials.js";
import { AccountInput } from "./identity.js";
import { InstantOut } from "./instants.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { Role } from "./workspaces.js";

const id = z.string().describe("Its ID.");
const createdAt = InstantOut.describe("When it was created.");
const lastUsedAt = nullableInstant.describe("When it was last used; null if never.");

const NEEDS_RECENT_SIGN_IN = createRefusal(403, MESSAGES.signInRecently);
const ONLY_ADMINS = createRefusal(403, MESSAGES.onlyAdmins);
const NO_PASSKEYS = createRefusal(404, MESSAGES.unknownProcedure);
const OWN = { callers: ["user"], session: true } as const;
const RECENT = { ...OWN, recentSignIn: true } as const;
const LIST = { ...OWN, input: NoInput, example: {}, refuses: [] } as const;

export const getAccount = query("account.get", {
  ...LIST,
  output: z.object({
    userId: z.string().describe("The user's ID."),
    email: z.string().describe("E-mail address."),
    name: z.string().describe("Display name."),
    role: Role.describe("Role in the workspace."),
    workspaceId: z.string().describe("ID of the workspace."),
    workspaceName: z.string().describe("Name of the workspace."),
    hasPassword: z.boolean().describe("Whether the user can sign in with a password."),
    writesSummaries: z.boolean().describe("Whether this installation has a model that writes summaries."),
  }),
  summary: "Get the account",
  description: "The signed-in user, their workspace and what the installation does for them.",
});

export const updateAccount = mutation("account.update", {
  ...OWN,
  input: AccountInput.name,
  output: Success,
  summary: "Set the name",
  description: "Changes the user's display name.",
  example: { name: "Clara" },
  refuses: [],
});

export const setPassword = mutation("account.setPassword", {
  ...OWN,
  input: AccountInput.password,
  output: Success,
  summary: "Set the password",
  description: "Ends all other sessions and one-time links. A first password needs a recent sign-in.",
  example: { current: null, password: "correct horse battery staple" },
  refuses: [createRefusal(403, MESSAGES.wrongPresentPassword), NEEDS_RECENT_SIGN_IN],
});

export const listSessions = query("account.listSessions", {
  ...LIST,
  output: z.object({
    sessions: z
      .array(
        z.object({
          id,
          kind: z.enum(["browser", "token"]).describe("A browser, or a token."),
          label: z.string().nullable().describe("Name of the browser; null if unknown."),
          createdAt,
          lastUsedAt,
          expiresAt: InstantOut.describe("When it ends at the latest."),
          network: z.string().nullable().describe("Where it was signed in; null if no longer known."),
          current: z.boolean().describe("Whether it is the calling one."),
        }),
      )
      .describe("Open sessions, newest first."),
  }),
  summary: "List sessions",
  description: "The user's open sessions and tokens.",
});

export const endSession = mutation("account.endSession", {
  ...OWN,
  input: AccountInput.session,
  output: Success,
  summary: "End a session",
  description: "Ends one of the user's sessions at once.",
  example: { sessionId: "ses_example" },
  refuses: [createRefusal(404, MESSAGES.sessionNotFound)],
});

export const endAllSessions = mutation("account.endAllSessions", {
  ...LIST,
  operator: {},
  output: z.object({ ended: z.int().describe("Number of ended sessions.") }),
  summary: "End all sessions",
  description: "Signs the user out everywhere, here too, and deletes their one-time links.",
});

export const listPasskeys = query("account.listPasskeys", {
  ...LIST,
  output: z.object({
    passkeys: z
      .array(z.object({ id, name: z.string().describe("Display name."), createdAt, lastUsedAt }))
      .describe("Oldest first."),
  }),
  summary: "List passkeys",
  description: "The user's passkeys.",
});

export const createPasskeyOptions = mutation("account.createPasskeyOptions", {
  ...RECENT,
  input: NoInput,
  output: z
    .looseObject({ challenge: z.string().describe("Can be used once.") })
    .describe("Options of WebAuthn for a new passkey."),
  summary: "Create options for a passkey",
  description: "The options with which a browser creates a passkey. Needs a recent sign-in.",
  example: {},
  refuses: [NEEDS_RECENT_SIGN_IN, NO_PASSKEYS, createRefusal(409, MESSAGES.tooManyPasskeys)],
});

export const createPasskey = mutation("account.createPasskey", {
  ...RECENT,
  input: AccountInput.newPasskey,
  output: z.object({ id }),
  summary: "Add a passkey",
  description: "Stores the passkey that a browser created. Needs a recent sign-in.",
  example: {
    name: "Laptop",
    response: {
      ...{ id: "AQID", rawId: "AQID", type: "public-key" },
      response: { clientDataJSON: "e30", attestationObject: "AQID" },
    },
  },
  refuses: [
    createRefusal(400, MESSAGES.passkeyNotAdded),
    NEEDS_RECENT_SIGN_IN,
    NO_PASSKEYS,
    createRefusal(409, MESSAGES.passkeyTaken),
  ],
});

export const deletePasskey = mutation("account.deletePasskey", {
  ...RECENT,
  input: AccountInput.passkey,
  output: Success,
  summary: "Remove a passkey",
  description: "It no longer signs the user in. Needs a recent sign-in.",
  example: { passkeyId: "pk_example" },
  refuses: [NEEDS_RECENT_SIGN_IN, createRefusal(404, MESSAGES.passkeyNotFound)],
});

export const listCompanyAccounts = query("account.listCompanyAccounts", {
  ...LIST,
  output: z.object({
    accounts: z
      .array(z.object({ id, issuer: z.string().describe("URL of the provider."), createdAt }))
      .describe("Oldest first."),
  }),
  summary: "List company accounts",
  description: "Accounts at the company's provider with which the user signs in.",
});

export const deleteCompanyAccount = mutation("account.deleteCompanyAccount", {
  ...RECENT,
  input: AccountInput.companyAccount,
  output: Success,
  summary: "Unlink a company account",
  description: "Signing in there links it again. Needs a recent sign-in.",
  example: { accountId: "acc_example" },
  refuses: [NEEDS_RECENT_SIGN_IN, createRefusal(404, MESSAGES.companyAccountNotFound)],
});

export const listApps = query("account.listApps", {
  ...LIST,
  output: z.object({
    apps: z
      .array(
        z.object({
          id,
          name: z.string().describe("Name of the app."),
          host: z.string().describe("Host that describes it."),
          scopes: z.array(z.string()).describe("What it can do."),
          createdAt,
          lastUsedAt,
        }),
      )
      .describe("Newest first."),
  }),
  summary: "List connected apps",
  description: "Apps that the user connected by sign-in.",
});

export const deleteApp = mutation("account.deleteApp", {
  ...OWN,
  input: AccountInput.app,
  output: Success,
  summary: "Disconnect an app",
  description: "It can't act for the user any more.",
  example: { appId: "app_example" },
  refuses: [createRefusal(404, MESSAGES.appNotFound)],
});

export const listInvitations = query("invitations.list", {
  ...LIST,
  operator: {},
  output: z.object({
    invitations: z
      .array(
        z.object({
          id,
          email: z.string().nullable().describe("The only address that can accept it; null: anyone."),
          role: Role.describe("Role in the workspace."),
          createdBy,
          createdAt,
          expiresAt: InstantOut.describe("When it ends."),
        }),
      )
      .describe("Open invitations, newest first."),
  }),
  summary: "List invitations",
  description: "The workspace's open invitations; for admins.",
  refuses: [ONLY_ADMINS],
});

export const createInvitation = mutation("invitations.create", {
  ...OWN,
  operator: {},
  input: AccountInput.newInvitation,
  output: z.object({
    id,
    expiresAt: InstantOut.describe("When it ends."),
    link: z.string().nullable().describe("The link to pass on; null if it was mailed."),
    mailed: z.boolean().describe("Whether it was mailed."),
    renewed: z.boolean().describe("Whether the address had an open invitation, whose link no longer works."),
  }),
  summary: "Invite a person",
  description:
    "Mails the link to the address, if there is one and a mail server; for admins. An address has one open invitation to a workspace: inviting it again keeps its ID, and replaces role, link and expiry.",
  example: { role: "member" },
  refuses: [ONLY_ADMINS, createRefusal(409, MESSAGES.invitedIsMember)],
});

export const revokeInvitation = mutation("invitations.revoke", {
  ...OWN,
  operator: {},
  input: AccountInput.invitation,
  output: Success,
  summary: "Revoke an invitation",
  description: "Its link ends; for admins.",
  example: { invitationId: "inv_example" },
  refuses: [ONLY_ADMINS, createRefusal(404, MESSAGES.invitationNotFound)],
});
