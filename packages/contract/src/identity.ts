import { z } from "zod";
import { LIMITS } from "./limits.js";
import { boundedText, Email, Id, Name } from "./text.js";

/** A password that is chosen. Blanks count: it is taken as it is. */
export const NewPassword = boundedText(LIMITS.passwordMin, LIMITS.passwordMax);

/** A password that is tried. Its length says nothing about whether it is right. */
const Password = boundedText(0, LIMITS.passwordMax);
const Token = boundedText(1, LIMITS.idMax);
const Role = z.enum(["admin", "member"]);

const Base64Url = z
  .string()
  .max(LIMITS.passkeyTextMax)
  .regex(/^[\w-]*$/, "must be base64url");

const Credential = { id: Base64Url, rawId: Base64Url, type: z.literal("public-key") };

/** What a browser made for a new passkey; further fields of WebAuthn are left out. */
const PasskeyCreation = z
  .object({
    ...Credential,
    response: z.object({ clientDataJSON: Base64Url, attestationObject: Base64Url }),
  })
  .transform((creation) => ({ ...creation, clientExtensionResults: {} }));
export type PasskeyCreation = z.output<typeof PasskeyCreation>;

/** What a browser signed with a passkey; further fields of WebAuthn are left out. */
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

/** Parameters of the procedures that sign people in, `/identity/v1/*`. */
export const IdentityInput = {
  setup: z.strictObject({
    token: Token,
    workspaceName: Name,
    name: Name,
    email: Email,
    password: NewPassword,
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

/** Parameters of a signed-in person's procedures about their own account and their workspace's invitations. */
export const AccountInput = {
  name: z.strictObject({ name: Name }),
  password: z.strictObject({ current: Password.nullable(), password: NewPassword }),
  session: z.strictObject({ sessionId: Id }),
  newPasskey: z.strictObject({ name: Name, response: PasskeyCreation }),
  passkey: z.strictObject({ passkeyId: Id }),
  companyAccount: z.strictObject({ accountId: Id }),
  newInvitation: z.strictObject({ email: Email.optional(), role: Role }),
  invitation: z.strictObject({ invitationId: Id }),
};
