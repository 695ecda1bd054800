import { z } from "zod";
import { nullableInstant, secretMessage } from "./credentials.js";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MeetingRef } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { boundedText, Id } from "./text.js";

/** What a public link shows. */
export const PUBLIC_LINK_SCOPES = ["summary", "transcript"] as const;
export type PublicLinkScope = (typeof PUBLIC_LINK_SCOPES)[number];

const scope = z
  .enum(PUBLIC_LINK_SCOPES)
  .describe("`summary`: title, time, speakers, summary and tasks; `transcript`: what was said, too.");

/** Parameters of `publicLinks.*`. @see docs/decisions/0376-public-links.md */
export const PublicLinkInput = {
  link: MeetingRef.extend({
    scope: scope.default("summary"),
    days: z
      .int()
      .min(1)
      .max(LIMITS.publicLinkDaysMax)
      .default(LIMITS.publicLinkDaysDefault)
      .describe("Days until it ends, 1 to 30."),
    password: boundedText(LIMITS.publicLinkPasswordMin, LIMITS.passwordMax)
      .optional()
      .describe("Password that readers must enter. Absent: none."),
    maskNames: z
      .boolean()
      .default(false)
      .describe(
        "True replaces the names of speakers, assignees and attendees, as in `Speaker 1`, wherever they occur as written there.",
      ),
  }),
  linkRef: z.strictObject({ linkId: Id.describe("The link's `id`.") }),
  allowed: z.strictObject({
    allowed: z.boolean().describe("False ends all public links of the workspace, for good."),
  }),
};

const PublicLink = z
  .object({
    id: z.string().describe("The link's `linkId`."),
    meetingId: z.string().describe("The meeting that it shows."),
    scope,
    maskNames: z.boolean().describe("Whether names are replaced."),
    hasPassword: z.boolean().describe("Whether readers must enter a password."),
    createdAt: InstantOut.describe("When it was created."),
    expiresAt: InstantOut.describe("When it ends."),
    views: z.int().describe("How often the meeting was shown."),
    lastViewedAt: nullableInstant.describe("When it was shown last; null if never."),
  })
  .meta({ id: "PublicLink", description: "A link with which people outside read a meeting." });
export type PublicLink = z.infer<typeof PublicLink>;

const NewPublicLink = PublicLink.extend({
  url: z.string().describe("The link's address. It is shown only in this answer."),
  message: secretMessage,
}).meta({ id: "NewPublicLink", description: "A new public link with its address." });
export type NewPublicLink = z.infer<typeof NewPublicLink>;

const allowed = z.boolean().describe("Whether the workspace allows public links.");
const MeetingLinks = z.object({
  allowed,
  links: z.array(PublicLink).describe("Links of the meeting that have not ended, newest first."),
});
export type MeetingLinks = z.infer<typeof MeetingLinks>;

const WorkspaceLink = PublicLink.extend({
  owner: z.string().describe("Name of the meeting's owner."),
}).meta({ id: "WorkspacePublicLink", description: "A public link, as admins see it." });
export type WorkspaceLink = z.infer<typeof WorkspaceLink>;

const WorkspaceLinks = z.object({
  allowed,
  links: z.array(WorkspaceLink).describe("Links of the workspace that have not ended, newest first."),
});
export type WorkspaceLinks = z.infer<typeof WorkspaceLinks>;

const MEETING = { meetingId: "mtg_example" };
const LINK = { linkId: "lnk_example" };
const NO_MEETING = createRefusal(404, MESSAGES.meetingNotFound);
const NOT_OWNER = createRefusal(403, MESSAGES.noMeetingAccess);
const ADMINS = createRefusal(403, MESSAGES.onlyAdmins);
const OF_WORKSPACE = { callers: ["user", "workspace"], session: true, operator: {} } as const;
const MANAGED = { callers: ["user", "operator"], session: true } as const;

export const createPublicLink = mutation("publicLinks.create", {
  callers: ["user"],
  session: true,
  recentSignIn: true,
  rest: { at: "POST /public-links", id: "createPublicLink", secret: "url" },
  input: PublicLinkInput.link,
  output: NewPublicLink,
  summary: "Create a public link",
  description:
    "Lets anyone with the address read one meeting until the link ends; for its owner, if the workspace allows it. Needs a recent sign-in.",
  example: MEETING,
  refuses: [
    createRefusal(403, MESSAGES.signInRecently),
    createRefusal(403, MESSAGES.publicLinksOff),
    NO_MEETING,
    NOT_OWNER,
    createRefusal(409, MESSAGES.publicLinkOfLocked),
    createRefusal(409, MESSAGES.tooManyPublicLinks),
    createRefusal(409, MESSAGES.tooManyPublicLinksOfWorkspace),
  ],
});

export const listPublicLinks = query("publicLinks.list", {
  ...MANAGED,
  rest: { at: "GET /public-links", id: "listPublicLinks" },
  input: MeetingRef,
  output: MeetingLinks,
  summary: "List the public links of a meeting",
  description: "Links that have not ended, without their addresses; for the meeting's owner.",
  example: MEETING,
  refuses: [NO_MEETING, NOT_OWNER],
});

export const listWorkspacePublicLinks = query("publicLinks.listWorkspace", {
  ...OF_WORKSPACE,
  rest: { at: "GET /public-links/workspace", id: "listWorkspacePublicLinks" },
  input: NoInput,
  output: WorkspaceLinks,
  summary: "List the public links of the workspace",
  description: "Links that have not ended, without titles, which admins may not read; for admins.",
  example: {},
  refuses: [ADMINS],
});

export const revokePublicLink = mutation("publicLinks.revoke", {
  ...MANAGED,
  rest: { at: "DELETE /public-links/{linkId}", id: "revokePublicLink" },
  input: PublicLinkInput.linkRef,
  output: Success,
  summary: "Revoke a public link",
  description: "Ends it at once; for the meeting's owner and admins.",
  example: LINK,
  refuses: [createRefusal(404, MESSAGES.publicLinkNotFound)],
});

export const allowPublicLinks = mutation("publicLinks.allow", {
  ...OF_WORKSPACE,
  rest: { at: "PUT /public-links/allowed", id: "allowPublicLinks" },
  input: PublicLinkInput.allowed,
  output: Success,
  summary: "Allow public links",
  description: "Lets owners of meetings create public links, or ends all of the workspace; for admins.",
  example: { allowed: true },
  refuses: [ADMINS],
});
