import { z } from "zod";
import { MeetingRef } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, query, Success } from "./operation.js";
import { Email, Id } from "./text.js";

const email = Email.describe("E-mail address of a member of the same workspace.");

/** Parameters of `meetings.share` and `meetings.unshare`. */
export const ShareMeeting = z.strictObject({ meetingId: Id.describe("The meeting's `id`."), email });

/** Parameters of `tags.share` and `tags.unshare`. */
export const ShareTag = z.strictObject({ tagId: Id.describe("The tag's `id`."), email });

/** A member that a meeting or a tag is shared with. */
export const ShareReader = z.object({
  userId: z.string().describe("The member's ID."),
  email: z.string().describe("Their e-mail address."),
  name: z.string().describe("Their name."),
});

const MeetingShares = z.object({
  shares: z
    .array(ShareReader)
    .describe("Members that the meeting is shared with directly, by e-mail address."),
});

const MeetingReaders = z.object({
  readers: z
    .array(
      z.object({
        userId: z.string().describe("The member's ID."),
        name: z.string().describe("Their name."),
        email: z.string().describe("Their e-mail address."),
        direct: z.boolean().describe("True if the meeting is shared with them directly."),
        tags: z.array(z.string()).describe("Names of shared tags through which they can read it."),
      }),
    )
    .describe("Everyone but the owner who can read the meeting, by e-mail address."),
  workspaceKeys: z.int().describe("Number of the workspace's API keys, which read all of its meetings."),
});
export type MeetingReaders = z.infer<typeof MeetingReaders>;

const ShareList = z.array(
  z.object({
    id: z.string().describe("The meeting's or tag's ID."),
    name: z.string().describe("The meeting's title, or the tag's name."),
    with: z.string().describe("E-mail address of the member it is shared with."),
  }),
);
export type ShareList = z.infer<typeof ShareList>;

const MEETING = { meetingId: "mtg_example" };
const NO_MEETING = createRefusal(404, MESSAGES.meetingNotFound);
const NOT_OWNER = createRefusal(403, MESSAGES.noMeetingAccess);
const NO_TAG = createRefusal(404, MESSAGES.tagNotFound);
const NO_USER = createRefusal(404, MESSAGES.userNotFound);
const WITH_OWNER = createRefusal(409, MESSAGES.shareWithOther);
const COLLEAGUE = { email: "ben@example.com" };

/** Operations of the owner of a meeting or tag, and of the operator. */
const OWNED = { callers: ["user", "operator"], session: true } as const;

export const listMeetingShares = query("shares.list", {
  ...OWNED,
  input: MeetingRef,
  output: MeetingShares,
  summary: "List the shares of a meeting",
  description: "Members that the meeting is shared with directly; for its owner.",
  example: MEETING,
  refuses: [NO_MEETING, NOT_OWNER],
});

export const listMeetingReaders = query("shares.readers", {
  ...OWNED,
  input: MeetingRef,
  output: MeetingReaders,
  summary: "List who can read a meeting",
  description: "Everyone but the owner who can read it, and why; for its owner.",
  example: MEETING,
  refuses: [NO_MEETING, NOT_OWNER],
});

export const listShares = query("shares.listOf", {
  callers: ["operator"],
  input: z.strictObject({
    of: z.string().min(1).describe("The ID of a meeting or tag, or a user by e-mail address or ID."),
  }),
  output: ShareList,
  summary: "List the direct shares of a meeting or tag, or all of a user's",
  description: "Tags first, by name; then meetings by start.",
  example: { of: "ada@example.com" },
  refuses: [NO_MEETING, NO_TAG, NO_USER],
});

export const shareMeeting = mutation("meetings.share", {
  ...OWNED,
  input: ShareMeeting,
  output: Success,
  summary: "Share a meeting",
  description:
    "Lets another member of the workspace read it until the share ends or either leaves; for its owner. Repeating it is a no-op.",
  example: { ...MEETING, ...COLLEAGUE },
  refuses: [NO_MEETING, NOT_OWNER, NO_USER, WITH_OWNER],
});

export const unshareMeeting = mutation("meetings.unshare", {
  ...OWNED,
  input: ShareMeeting,
  output: Success,
  summary: "End the share of a meeting",
  description: "The member can no longer read it, unless a shared tag lets them; for its owner.",
  example: { ...MEETING, ...COLLEAGUE },
  refuses: [NO_MEETING, NOT_OWNER, NO_USER],
});

export const shareTag = mutation("tags.share", {
  ...OWNED,
  input: ShareTag,
  output: Success,
  summary: "Share a tag",
  description:
    "Lets another member of the workspace read every meeting with the tag, later ones too; for its owner. Repeating it is a no-op.",
  example: { tagId: "tag_example", ...COLLEAGUE },
  refuses: [NO_TAG, NO_USER, WITH_OWNER],
});

export const unshareTag = mutation("tags.unshare", {
  ...OWNED,
  input: ShareTag,
  output: Success,
  summary: "End the share of a tag",
  description: "The member can no longer read the tag's meetings, unless they are shared otherwise.",
  example: { tagId: "tag_example", ...COLLEAGUE },
  refuses: [NO_TAG, NO_USER],
});
