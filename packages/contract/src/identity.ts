import { z } from "zod";
import { LIMITS } from "./limits.js";
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
