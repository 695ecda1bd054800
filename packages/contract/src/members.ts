import { z } from "zod";
import { Id } from "./text.js";

/** Whether removing or demoting a member also revokes the credentials they created for the workspace. */
const revokeCredentials = z
  .boolean()
  .default(false)
  .describe("True revokes the keys and deletes the webhooks that the member created for the workspace.");

const userId = Id.describe("The member's `userId`.");

/** Parameters of the operations on one member. */
export const MemberRef = z.strictObject({ userId });

/** Parameters of `members.setRole`. */
export const SetRole = z.strictObject({
  userId,
  role: z.enum(["admin", "member"]).describe("The new role."),
  revokeCredentials,
});

/** Parameters of `members.remove`. */
export const RemoveMember = z.strictObject({ userId, revokeCredentials });
