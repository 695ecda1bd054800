import { z } from "zod";
import { InstantOut } from "./instants.js";
import { PLANS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query } from "./operation.js";
import { Email, Name } from "./text.js";

/** Roles of a member. */
export const Role = z.enum(["admin", "member"]);

const user = z.string().min(1).describe("The user's e-mail address or ID.");
const workspace = z.string().min(1).describe("The workspace's ID or name.");
const revokeCredentials = z
  .boolean()
  .default(false)
  .describe("True revokes the keys and deletes the webhooks that the user created for the workspace.");

const eraseHeld = z
  .boolean()
  .default(false)
  .describe("True also deletes meetings on hold. Otherwise nothing is erased if there are any.");

/** A credential that a member created for a workspace, or an open invitation. */
export const CreatedCredential = z.object({
  kind: z.enum(["workspace key", "ingest key", "workspace webhook", "invitation"]).describe("What it is."),
  id: z.string().describe("Its ID."),
  name: z.string().describe("Display name; for an invitation, the address that can accept it."),
});
export type CreatedCredential = z.infer<typeof CreatedCredential>;

const StoredUser = z.object({
  id: z.string().describe("The user's ID."),
  email: z.string().describe("E-mail address."),
  name: z.string().describe("Display name."),
  role: Role.describe("Role in the workspace."),
  workspaceId: z.string().describe("ID of their workspace."),
  workspace: z.string().describe("Name of their workspace."),
  plan: z.string().describe("The workspace's plan."),
});
const ChangedUser = StoredUser.extend({
  formerAddress: z
    .object({
      email: z.string().describe("The address."),
      meetings: z.int().describe("Number of meetings, of all users, that name it."),
      tasks: z.int().describe("Number of tasks assigned to it."),
    })
    .optional()
    .describe("The address until now, if it changed. Meetings and tasks that name it keep it."),
});
const MovedUser = StoredUser.extend({
  credentials: z
    .array(CreatedCredential)
    .describe(
      "What they created for the workspace that they leave, or of which they are no longer an admin.",
    ),
  heldMeetings: z.int().describe("Number of their meetings on hold that left the workspace with them."),
});
const StoredWorkspace = z.object({
  id: z.string().describe("The workspace's ID."),
  name: z.string().describe("Its name."),
  plan: z.string().describe("Its plan."),
});
const WorkspaceWithMembers = StoredWorkspace.extend({ members: z.int().describe("Number of members.") });

/** What is deleted with users. */
const Erased = z.object({
  users: z.int().describe("Number of users."),
  meetings: z.int().describe("Number of their meetings."),
  held: z.int().describe("Number of these meetings that are on hold."),
  tasks: z.int().describe("Number of tasks in these meetings."),
  shares: z.int().describe("Number of their shares of meetings and tags with others."),
  tags: z.int().describe("Number of their tags."),
  keys: z.int().describe("Number of their personal keys that work."),
});

const heldMeetings = z.int().describe("Number of deleted meetings that were on hold.");

const OPERATOR = { callers: ["operator"] } as const;
const NO_USER = createRefusal(404, MESSAGES.userNotFound);
const NO_WORKSPACE = createRefusal(404, MESSAGES.workspaceNotFound);
const HELD = createRefusal(409, MESSAGES.erasesHeld);
const LAST_ADMIN = createRefusal(409, MESSAGES.lastAdmin);
const NAME_TAKEN = createRefusal(409, MESSAGES.workspaceNameTaken);
const USER = { user: "clara@example.com" };
const WORKSPACE = { workspace: "Example" };

export const createUser = mutation("users.create", {
  ...OPERATOR,
  input: z.strictObject({
    email: Email,
    name: Name.optional().describe("Defaults to the part of the address before the @."),
    workspace: workspace
      .optional()
      .describe("ID or name; defaults to the only one, or to their own if there is none."),
    ownWorkspace: z.boolean().default(false).describe("True creates a new workspace of their own."),
    role: Role.optional().describe("Defaults to admin for the first member, otherwise member."),
  }),
  output: StoredUser,
  summary: "Create a user",
  description:
    "Creates a user in a workspace: the named one, or the only one that is not somebody's own, or else a new one of their own.",
  example: { email: USER.user },
  refuses: [
    createRefusal(409, MESSAGES.emailTaken),
    createRefusal(409, MESSAGES.severalWorkspaces),
    NO_WORKSPACE,
  ],
});

export const listUsers = query("users.list", {
  ...OPERATOR,
  input: NoInput,
  output: z.array(StoredUser),
  summary: "List users",
  description: "All users, by e-mail address.",
  example: {},
  refuses: [],
});

export const getUser = query("users.get", {
  ...OPERATOR,
  input: z.strictObject({ user }),
  output: StoredUser,
  summary: "Get a user",
  description: "A user with their workspace, role and plan.",
  example: USER,
  refuses: [NO_USER],
});

export const updateUser = mutation("users.update", {
  ...OPERATOR,
  input: z.strictObject({ user, name: Name.optional(), email: Email.optional() }),
  output: ChangedUser,
  summary: "Update a user",
  description: "Changes a user's display name or e-mail address. Meetings and tasks keep the former address.",
  example: { ...USER, name: "Clara" },
  refuses: [NO_USER, createRefusal(409, MESSAGES.emailTaken)],
});

export const previewUserDeletion = query("users.previewDelete", {
  ...OPERATOR,
  input: z.strictObject({ user }),
  output: Erased,
  summary: "See what erasing a user deletes",
  description: "Counts what `users.delete` deletes.",
  example: USER,
  refuses: [NO_USER],
});

export const deleteUser = mutation("users.delete", {
  ...OPERATOR,
  input: z.strictObject({ user, revokeCredentials, eraseHeld }),
  output: MovedUser.pick({ id: true, credentials: true }).extend({ heldMeetings }),
  summary: "Erase a user",
  description: "Erases a user with all their meetings, tags, shares and keys.",
  example: USER,
  refuses: [NO_USER, HELD],
});

export const createWorkspace = mutation("workspaces.create", {
  ...OPERATOR,
  input: z.strictObject({ name: Name, plan: z.enum(PLANS).default("free") }),
  output: StoredWorkspace,
  summary: "Create a workspace",
  description: "Creates a workspace without members.",
  example: { name: WORKSPACE.workspace },
  refuses: [NAME_TAKEN],
});

export const listWorkspaces = query("workspaces.list", {
  ...OPERATOR,
  input: NoInput,
  output: z.array(WorkspaceWithMembers),
  summary: "List workspaces",
  description: "Those with members, and empty ones that are not a user's own, by name.",
  example: {},
  refuses: [],
});

export const getWorkspace = query("workspaces.get", {
  ...OPERATOR,
  input: z.strictObject({ workspace }),
  output: WorkspaceWithMembers,
  summary: "Get a workspace",
  description: "A workspace with its plan and number of members.",
  example: WORKSPACE,
  refuses: [NO_WORKSPACE],
});

export const updateWorkspace = mutation("workspaces.update", {
  ...OPERATOR,
  input: z.strictObject({ workspace, name: Name.optional(), plan: z.enum(PLANS).optional() }),
  output: StoredWorkspace,
  summary: "Update a workspace",
  description: "Changes its name, or its plan and so that of its members. A higher plan unlocks summaries.",
  example: { ...WORKSPACE, plan: "team" },
  refuses: [NO_WORKSPACE, NAME_TAKEN],
});

export const previewWorkspaceDeletion = query("workspaces.previewDelete", {
  ...OPERATOR,
  input: z.strictObject({ workspace }),
  output: Erased,
  summary: "See what deleting a workspace with its members deletes",
  description: "Counts what `workspaces.delete` with `eraseMembers` deletes.",
  example: WORKSPACE,
  refuses: [NO_WORKSPACE],
});

export const deleteWorkspace = mutation("workspaces.delete", {
  ...OPERATOR,
  input: z.strictObject({
    workspace,
    eraseMembers: z.boolean().default(false).describe("True erases its members with all their data."),
    eraseHeld,
  }),
  output: StoredWorkspace.omit({ plan: true }).extend({
    erasedUsers: z.int().describe("Number of erased users."),
    heldMeetings,
  }),
  summary: "Delete a workspace",
  description: "Deletes a workspace with its keys. It must have no members, unless they are erased with it.",
  example: WORKSPACE,
  refuses: [NO_WORKSPACE, createRefusal(409, MESSAGES.workspaceHasMembers), HELD],
});

export const addMember = mutation("workspaces.addMember", {
  ...OPERATOR,
  input: z.strictObject({ workspace, user, role: createUser.input.shape.role, revokeCredentials }),
  output: MovedUser,
  summary: "Add a member to a workspace",
  description: "Moves a user with their meetings into a workspace, or changes a member's role.",
  example: { ...WORKSPACE, ...USER },
  refuses: [NO_USER, NO_WORKSPACE, LAST_ADMIN],
});

export const removeMemberOf = mutation("workspaces.removeMember", {
  ...OPERATOR,
  input: z.strictObject({ workspace, user, revokeCredentials }),
  output: MovedUser,
  summary: "Remove a member from a workspace",
  description: "Returns a member to a workspace of their own. Changes nothing if they have already left.",
  example: { ...WORKSPACE, ...USER },
  refuses: [NO_USER, NO_WORKSPACE, LAST_ADMIN],
});

export const revokeWorkspaceCredentials = mutation("workspaces.revokeCredentials", {
  callers: ["user", "workspace"],
  session: true,
  operator: {},
  input: NoInput,
  output: z.object({
    keys: z.int().describe("Number of API keys of the workspace and its members."),
    ingestKeys: z.int().describe("Number of ingest keys."),
    sessions: z.int().describe("Number of sessions and tokens of members, including the caller's."),
    links: z.int().describe("Number of one-time links of members, and of open invitations."),
    apps: z.int().describe("Number of apps that members connected."),
    publicLinks: z.int().describe("Number of links with which people outside read meetings."),
  }),
  summary: "Revoke all credentials of the workspace",
  description:
    "Revokes everything that grants access and may have leaked, also the caller's session; for admins. Passwords, passkeys and webhooks stay.",
  example: {},
  refuses: [createRefusal(403, MESSAGES.onlyAdmins)],
});

export const getPlan = query("plan.get", {
  callers: ["user"],
  session: true,
  input: NoInput,
  output: z.object({
    plan: z.enum(PLANS).describe("The workspace's plan."),
    limits: z
      .object({
        apiAccess: z.boolean().describe("Whether API keys work."),
        webhooks: z.boolean().describe("Whether webhooks work."),
        creditsPerMonth: z.int().nullable().describe("Meetings per user and month; null: unlimited."),
        maxMeetingMinutes: z.int().describe("Maximum duration of a meeting whose summary is not locked."),
        vocabularyTerms: z.int().describe("Maximum number of terms in each list."),
      })
      .describe("What the plan allows."),
    creditsUsed: z.int().describe("The caller's credits of this month."),
  }),
  summary: "Get the plan",
  description: "The plan of the caller's workspace, its limits, and the caller's credits of this month.",
  example: {},
  refuses: [],
});

export const getUsage = query("plan.usage", {
  callers: ["user"],
  session: true,
  input: NoInput,
  output: z.object({
    creditsByMonth: z
      .array(
        z.object({
          month: z.string().describe("Its first day."),
          credits: z.int().describe("Number of credits."),
        }),
      )
      .describe("The caller's credits in each of the last months, oldest first."),
    lockedSummaries: z.int().describe("Number of the caller's locked summaries."),
    requests: z
      .array(
        z.object({
          keys: z.enum(["personal", "workspace", "ingest"]).describe("With which keys."),
          minute: InstantOut.describe("Start of the minute."),
          count: z.int().describe("Number of requests."),
        }),
      )
      .describe("The last hour by minute, oldest first; those of the workspace's keys only for admins."),
  }),
  summary: "Get the usage",
  description: "The caller's credits and locked summaries, and the requests of the last hour.",
  example: {},
  refuses: [],
});
