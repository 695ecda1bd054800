import { z } from "zod";
import { LIMITS } from "./limits.js";
import { boundedText, Email, Id, Name } from "./text.js";

/** A password that is chosen. Blanks count: it is taken as it is. */
export const NewPassword = boundedText(LIMITS.passwordMin, LIMITS.passwordMax);

/** A password that is tried. Its length says nothing about whether it is right. */
const Password = boundedText(0, LIMITS.passwordMax);
const Token = boundedText(1, LIMITS.idMax);
const Role = z.enum(["admin", "member"]);

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
  newInvitation: z.strictObject({ email: Email.optional(), role: Role }),
  invitation: z.strictObject({ invitationId: Id }),
};
