import { z } from "zod";
import { LIMITS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { boundedText, Email, Id, Name } from "./text.js";

/** A new password. Surrounding whitespace counts: it is stored as typed. */
export const NewPassword = boundedText(LIMITS.passwordMin, LIMITS.passwordMax);

/** A password to check. Short ones are accepted here, so a wrong password gives the same error whatever its length. */
const Password = boundedText(0, LIMITS.passwordMax);
const Token = boundedText(1, LIMITS.idMax);
const Role = z.enum(["admin", "member"]);

const Base64Url = z
  .string()
  .max(LIMITS.passkeyTextMax)
  .regex(/^[\w-]*$/, "must be base64url");

const Credential = {
  id: Base64Url.describe("ID of the credential."),
  rawId: Base64Url.describe("The same ID."),
  type: z.literal("public-key").describe("Always `public-key`."),
};

/** The browser's response to creating a passkey. Other WebAuthn fields are dropped. */
const PasskeyCreation = z
  .object({
    ...Credential,
    response: z
      .object({
        clientDataJSON: Base64Url.describe("What the browser signed."),
        attestationObject: Base64Url.describe("The public key."),
      })
      .describe("What the authenticator created."),
  })
  .transform((creation) => ({ ...creation, clientExtensionResults: {} }));
export type PasskeyCreation = z.output<typeof PasskeyCreation>;

/** The browser's response to a passkey challenge. Other WebAuthn fields are dropped. */
const PasskeyAnswer = z
  .object({
    ...Credential,
    response: z.object({
      clientDataJSON: Base64Url,
      authenticatorData: Base64Url,
      signature: Base64Url,
      userHandle: Base64Url.optional(),
    }),
  })
  .transform(({ response: { userHandle, ...response }, ...answer }) => ({
    ...answer,
    response: { ...response, ...(userHandle === undefined ? {} : { userHandle }) },
    clientExtensionResults: {},
  }));
export type PasskeyAnswer = z.output<typeof PasskeyAnswer>;

/** Parameters of the sign-in procedures, `/identity/v1/*`. */
export const IdentityInput = {
  setup: z.strictObject({
    token: Token,
    workspaceName: Name,
    name: Name,
    email: Email,
    password: NewPassword.optional(),
  }),
  link: z.strictObject({ token: Token }),
  linkRequest: z.strictObject({ email: Email }),
  password: z.strictObject({ email: Email, password: Password }),
  passkey: z.strictObject({ response: PasskeyAnswer }),
  invitation: z.strictObject({ token: Token }),
  acceptance: z.strictObject({
    token: Token,
    email: Email.optional(),
    name: Name.optional(),
    password: NewPassword.optional(),
  }),
};

/** Parameters of the procedures for a user's own account and their workspace's invitations. */
export const AccountInput = {
  name: z.strictObject({ name: Name.describe("Display name.") }),
  password: z.strictObject({
    current: Password.nullable().describe("The current password; null if there is none."),
    password: NewPassword.describe("The new password."),
  }),
  session: z.strictObject({ sessionId: Id.describe("The session's `id`.") }),
  newPasskey: z.strictObject({
    name: Name.describe("Display name."),
    response: PasskeyCreation.describe("The browser's response."),
  }),
  passkey: z.strictObject({ passkeyId: Id.describe("The passkey's `id`.") }),
  companyAccount: z.strictObject({ accountId: Id.describe("The account's `id`.") }),
  app: z.strictObject({ appId: Id.describe("The app's `id`.") }),
  newInvitation: z.strictObject({
    email: Email.optional().describe(
      "The only address that can accept it; anyone with the link when absent.",
    ),
    role: Role.describe("Role in the workspace."),
  }),
  invitation: z.strictObject({ invitationId: Id.describe("The invitation's `id`.") }),
};

/** Operations of somebody who signs in. They are called by browsers, whose session is a cookie. */
const VISITOR = { callers: ["visitor"] } as const;
const LINK_NOT_VALID = createRefusal(401, MESSAGES.linkNotValid);
const TURNED_OFF = createRefusal(404, MESSAGES.unknownProcedure);
const LINK = { token: "mlk_example" };

export const getSignIn = query("session.get", {
  ...VISITOR,
  input: NoInput,
  output: z.object({
    signedIn: z.boolean().describe("Whether the browser has a session."),
    firstStep: z
      .enum(["setup", "link"])
      .nullable()
      .describe(
        "How the first person signs in, while nobody can: the set-up, or, if there are users, a link from the operator.",
      ),
    ways: z
      .object({
        password: z.boolean(),
        magicLink: z.boolean().describe("A one-time link by e-mail."),
        passkey: z.boolean(),
        oidc: z.boolean().describe("A company account."),
      })
      .describe("The sign-in methods of the installation."),
    sampleEmail: z.string().nullable().describe("Address of the sample's user; null without the sample."),
    command: z.string().describe("Runs `minutes` on this installation."),
  }),
  summary: "Get the state of signing in",
  description: "What the sign-in page shows.",
  example: {},
  refuses: [],
});

export const signOut = mutation("session.end", {
  ...VISITOR,
  input: NoInput,
  output: Success,
  summary: "Sign out",
  description: "Ends the browser's session.",
  example: {},
  refuses: [],
});

export const completeSetup = mutation("setup.complete", {
  ...VISITOR,
  input: IdentityInput.setup,
  output: Success,
  summary: "Set up the installation",
  description: "Creates a workspace and its admin with the printed link, and signs the admin in.",
  example: { ...LINK, workspaceName: "Acme", name: "Clara", email: "clara@example.com" },
  refuses: [LINK_NOT_VALID, createRefusal(400, MESSAGES.setupNeedsPassword)],
});

export const getSignInLink = mutation("link.get", {
  ...VISITOR,
  input: IdentityInput.link,
  output: z.object({
    email: z.string().describe("Address of the link's user."),
    replaces: z
      .string()
      .nullable()
      .describe("Address of another user, who would be signed out; null if none."),
  }),
  summary: "Look at a sign-in link",
  description: "Doesn't use it up. A read, but by POST: a token in a URL would end up in proxy logs.",
  example: LINK,
  refuses: [LINK_NOT_VALID],
});

export const useSignInLink = mutation("link.use", {
  ...VISITOR,
  input: IdentityInput.link,
  output: Success.extend({
    invitation: z
      .string()
      .nullable()
      .describe(
        "Token of an invitation back to the workspace that the account left because its address was confirmed.",
      ),
  }),
  summary: "Sign in with a link",
  description: "Uses the link up.",
  example: LINK,
  refuses: [LINK_NOT_VALID],
});

export const requestSignInLink = mutation("link.request", {
  ...VISITOR,
  input: IdentityInput.linkRequest,
  output: Success,
  summary: "Request a sign-in link",
  description: "Gives the same answer for every address.",
  example: { email: "clara@example.com" },
  refuses: [TURNED_OFF],
});

export const signInWithPassword = mutation("password.signIn", {
  ...VISITOR,
  input: IdentityInput.password,
  output: Success,
  summary: "Sign in with a password",
  description: "Gives the same answer for an unknown address and a wrong password.",
  example: { email: "clara@example.com", password: "correct horse battery staple" },
  refuses: [createRefusal(401, MESSAGES.wrongPassword), TURNED_OFF],
});

export const createPasskeyChallenge = mutation("passkey.createChallenge", {
  ...VISITOR,
  input: NoInput,
  output: z
    .looseObject({ challenge: z.string().describe("Can be used once.") })
    .describe("Options of WebAuthn for asking for a passkey."),
  summary: "Create a passkey challenge",
  description: "The options with which a browser asks for a passkey.",
  example: {},
  refuses: [TURNED_OFF],
});

export const signInWithPasskey = mutation("passkey.signIn", {
  ...VISITOR,
  input: IdentityInput.passkey,
  output: Success,
  summary: "Sign in with a passkey",
  description: "Answers a challenge.",
  example: {
    response: {
      ...{ id: "", rawId: "", type: "public-key" },
      response: { clientDataJSON: "", authenticatorData: "", signature: "" },
    },
  },
  refuses: [createRefusal(401, MESSAGES.passkeyNotValid), TURNED_OFF],
});

export const getInvitation = mutation("invitations.get", {
  ...VISITOR,
  input: IdentityInput.invitation,
  output: z.object({
    workspaceName: z.string().describe("Name of the workspace."),
    email: z
      .string()
      .nullable()
      .describe(
        "The only address that can accept it; null for any. Masked, such as `b•••@example.com`, unless the caller can accept it at once.",
      ),
    forOther: z.boolean().describe("Whether the signed-in user has another address, so can't accept it."),
    role: Role.describe("Role in the workspace."),
    returning: z.boolean().describe("Whether it leads back to a workspace that the account left."),
    joined: z.boolean().describe("Whether the signed-in user is a member of the workspace already."),
    sendsMail: z.boolean().describe("Whether somebody without an account first gets another link by e-mail."),
  }),
  summary: "Look at an invitation",
  description: "What an invited person sees before accepting. A read, but by POST, as `link.get`.",
  example: { token: "miv_example" },
  refuses: [LINK_NOT_VALID],
});

export const acceptInvitation = mutation("invitations.accept", {
  ...VISITOR,
  input: IdentityInput.acceptance,
  output: Success.extend({
    mailed: z.literal(true).optional().describe("Another link was sent to the address; accept that one."),
  }),
  summary: "Accept an invitation",
  description: "Moves the signed-in user into the workspace, or creates an account there and signs it in.",
  example: { token: "miv_example" },
  refuses: [
    LINK_NOT_VALID,
    createRefusal(401, MESSAGES.signInToAccept),
    createRefusal(403, MESSAGES.invitationForOther),
    createRefusal(400, MESSAGES.invitationNeedsAccount),
    createRefusal(409, MESSAGES.joinedAlready),
    createRefusal(409, MESSAGES.lastAdmin),
  ],
});
