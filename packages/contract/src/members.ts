import { z } from "zod";
import { nullableInstant } from "./credentials.js";
import { InstantOut } from "./instants.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { Id } from "./text.js";
import { CreatedCredential, Role } from "./workspaces.js";

/** Whether removing or demoting a member also revokes the credentials they created for the workspace. */
const revokeCredentials = z
  .boolean()
  .default(false)
  .describe("True revokes the keys and deletes the webhooks that the member created for the workspace.");

/** Parameters of the operations on one member. */
const MemberRef = z.strictObject({ userId: Id.describe("The member's `userId`.") });

const ONLY_ADMINS = createRefusal(403, MESSAGES.onlyAdmins);
const NO_MEMBER = createRefusal(404, MESSAGES.memberNotFound);
const LAST_ADMIN = createRefusal(409, MESSAGES.lastAdmin);
const MEMBER = { userId: "usr_example" };
const OF_MEMBER = { callers: ["user"], session: true, example: MEMBER } as const;

export const listMembers = query("members.list", {
  callers: ["user", "workspace"],
  session: true,
  operator: {},
  input: NoInput,
  output: z.object({
    members: z
      .array(
        z.object({
          userId: z.string().describe("The user's ID."),
          email: z.string().describe("E-mail address."),
          name: z.string().describe("Display name."),
          role: Role.describe("Role in the workspace."),
          lastActiveAt: nullableInstant
            .optional()
            .describe(
              "When they last signed in or used a browser session; null if not within 180 days. Absent unless the caller is an admin.",
            ),
        }),
      )
      .describe("Admins first."),
  }),
  summary: "List members",
  description: "The members of the caller's workspace.",
  example: {},
  refuses: [],
});

export const setRole = mutation("members.setRole", {
  ...OF_MEMBER,
  input: MemberRef.extend({ role: Role.describe("The new role."), revokeCredentials }),
  output: Success,
  summary: "Set the role of a member",
  description: "Makes a member an admin or a member; for admins. The open invitations of a former admin end.",
  example: { ...MEMBER, role: "admin" },
  refuses: [ONLY_ADMINS, NO_MEMBER, LAST_ADMIN],
});

export const listCreatedCredentials = query("members.credentials", {
  ...OF_MEMBER,
  input: MemberRef,
  output: z.object({ credentials: z.array(CreatedCredential).describe("Keys, webhooks and invitations.") }),
  summary: "List what a member created",
  description:
    "Active credentials that a member created for the workspace; for admins. Keys and webhooks outlast their membership.",
  refuses: [ONLY_ADMINS],
});

export const previewRemoval = query("members.previewRemoval", {
  ...OF_MEMBER,
  callers: ["user", "workspace"],
  operator: {},
  input: MemberRef,
  output: z.object({
    meetings: z.int().describe("Number of meetings that leave with them."),
    held: z.int().describe("Number of these meetings that are on hold."),
  }),
  summary: "See what a removal takes away",
  description:
    "How many meetings leave the workspace with a member: everyone keeps what they recorded. For admins and the member.",
  refuses: [ONLY_ADMINS, NO_MEMBER],
});

export const removeMember = mutation("members.remove", {
  ...OF_MEMBER,
  input: MemberRef.extend({ revokeCredentials }),
  output: Success,
  summary: "Remove a member",
  description: "Returns a member with their meetings to a workspace of their own; for admins and the member.",
  refuses: [ONLY_ADMINS, NO_MEMBER, LAST_ADMIN],
});

export const signOutMember = mutation("members.signOut", {
  ...OF_MEMBER,
  input: MemberRef,
  output: Success,
  summary: "Sign a member out",
  description: "Ends all their sessions and one-time links; for admins.",
  refuses: [ONLY_ADMINS, NO_MEMBER],
});

export const createMemberSignInLink = mutation("members.createSignInLink", {
  ...OF_MEMBER,
  recentSignIn: true,
  input: MemberRef,
  output: z.object({
    token: z.string().describe("Part of the link after `/sign-in#`. Shown only in this answer."),
    expiresAt: InstantOut.describe("When the link stops working."),
  }),
  summary: "Create a sign-in link for a member",
  description:
    "A link that signs the member in once; for admins of installations without e-mail. Only for accounts that were created in the workspace: nobody gets into an account that somebody brought along.",
  refuses: [
    createRefusal(403, MESSAGES.signInRecently),
    ONLY_ADMINS,
    createRefusal(403, MESSAGES.memberFromElsewhere),
    NO_MEMBER,
  ],
});
