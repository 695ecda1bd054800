import { z } from "zod";
import { LIMITS } from "./limits.js";
import { MESSAGES, ruledTag, sharedTag } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { ShareReader } from "./sharing.js";
import { Id, trimmedText } from "./text.js";

/** A tag as `tags.list` returns it. @see docs/specification.md#tag */
export const Tag = z
  .object({
    id: z.string().describe("Unique tag ID."),
    name: z.string().describe("The tag's name, as used by `tag` of `meetings.list`."),
    shared: z
      .boolean()
      .describe("True if another user shared the tag with the caller; false if the caller owns it."),
  })
  .meta({ id: "Tag", description: "A label that the caller owns or that was shared with them." });
export type Tag = z.infer<typeof Tag>;

export const TagList = z
  .object({ tags: z.array(Tag).describe("Own tags and tags shared with the caller.") })
  .meta({ id: "TagList", description: "All tags of the caller." });
export type TagList = z.infer<typeof TagList>;

/** @see docs/specification.md#personal-key-routes */
export const listTags = query("tags.list", {
  callers: ["user"],
  v1: true,
  rest: { at: "GET /tags", id: "listTags" },
  tool: {
    name: "list_tags",
    title: "List tags",
    description:
      "Lists the user's own tags and those shared with them. list_meetings and search_meetings take a tag's name.",
    list: "tags",
  },
  input: NoInput,
  output: TagList,
  summary: "List own and shared tags",
  description: "The caller's own tags and tags that others shared with the caller.",
  example: {},
  refuses: [],
});

const name = trimmedText(1, LIMITS.tagNameMax);
const tagId = Id.describe("The tag's `id`.");
const meetingId = Id.describe("The meeting's `id`.");
const color = z.string().describe("Its color, such as `#2563EB`.");

const OwnTag = z.object({
  id: z.string().describe("The tag's `tagId`."),
  name: z.string().describe("Its name."),
  color,
  meetings: z.int().describe("Number of meetings that have it."),
  sharedWith: z.array(ShareReader).describe("Members it is shared with, by e-mail address."),
});
export type OwnTag = z.infer<typeof OwnTag>;

const NewTag = z.object({
  id: z.string().describe("The tag's `tagId`."),
  color,
  name: z.string().describe("Its name."),
});
export type NewTag = z.infer<typeof NewTag>;

/** Parameters of `meetings.tag`. */
export const TagMeeting = z.strictObject({
  meetingId,
  name: name.describe("Name of the caller's tag, which is created if there is none."),
});

const tagNames = z.array(name).max(LIMITS.tagsChangedAtOnce).optional();

/** Parameters of `meetings.updateTags`. */
export const UpdateMeetingTags = z
  .strictObject({
    meetingId,
    add: tagNames.describe("Names of tags to add; missing ones are created."),
    remove: tagNames.describe("Names of tags to remove."),
  })
  .refine(({ add = [], remove = [] }) => add.length + remove.length > 0, MESSAGES.nothingToEdit);
export type UpdateMeetingTags = z.output<typeof UpdateMeetingTags>;

const TAG = { tagId: "tag_example" };
const MEETING = { meetingId: "mtg_example" };
const NO_TAG = createRefusal(404, MESSAGES.tagNotFound);
const NAME_TAKEN = createRefusal(409, MESSAGES.tagNameTaken);
const RULED = createRefusal(409, ruledTag(1));
const UNKNOWN_MEETING = createRefusal(404, MESSAGES.meetingNotFound);
const NO_MEETING = [UNKNOWN_MEETING, createRefusal(403, MESSAGES.noMeetingAccess)];
const OWN = { callers: ["user"], session: true } as const;
const OF_TAG = {
  callers: ["user", "operator"],
  session: true,
  input: z.strictObject({ tagId }),
  example: TAG,
  refuses: [NO_TAG],
} as const;

/** `tags.list` for the owner of tags. */
export const listOwnTags = query("tags.list", {
  ...OWN,
  operator: {},
  input: NoInput,
  output: z.object({ tags: z.array(OwnTag).describe("The caller's own tags, by name.") }),
  summary: "List own tags",
  description: "Each with its number of meetings and the members it is shared with.",
  example: {},
  refuses: [],
});

export const getTag = query("tags.get", {
  ...OF_TAG,
  output: OwnTag,
  summary: "Get a tag",
  description: "With its number of meetings and the members it is shared with; for its owner.",
});

export const createTag = mutation("tags.create", {
  ...OWN,
  operator: {},
  input: z.strictObject({ name: name.describe("Name of the tag.") }),
  output: NewTag,
  summary: "Create a tag",
  description: "A tag without meetings. Its color is one of eight, in rotation.",
  example: { name: "Hiring" },
  refuses: [NAME_TAKEN],
});

export const updateTag = mutation("tags.update", {
  ...OF_TAG,
  input: OF_TAG.input.extend({ name: name.describe("The new name.") }),
  output: Success,
  summary: "Rename a tag",
  description: "Changes its name on all its meetings; for its owner.",
  example: { ...TAG, name: "Hiring" },
  refuses: [NO_TAG, NAME_TAKEN, RULED],
});

export const deleteTag = mutation("tags.delete", {
  ...OF_TAG,
  output: Success,
  summary: "Delete a tag",
  description: "Removes it from its meetings and ends its shares; for its owner.",
  refuses: [NO_TAG, RULED],
});

export const tagMeeting = mutation("meetings.tag", {
  ...OWN,
  input: TagMeeting,
  output: Success,
  summary: "Tag a meeting",
  description:
    "Adds a tag of the caller's to their meeting. Members who see the tag can then read the meeting.",
  example: { ...MEETING, name: "Hiring" },
  refuses: NO_MEETING,
});

export const untagMeeting = mutation("meetings.untag", {
  ...OWN,
  input: z.strictObject({ meetingId, tagId }),
  output: Success,
  summary: "Remove a tag from a meeting",
  description: "Members who read the meeting only through the tag no longer can.",
  example: { ...MEETING, ...TAG },
  refuses: NO_MEETING,
});

export const updateMeetingTags = mutation("meetings.updateTags", {
  callers: ["user"],
  rest: { at: "PATCH /meetings/{meetingId}/tags", id: "updateMeetingTags" },
  tool: {
    name: "update_meeting_tags",
    title: "Tag a meeting",
    description:
      "Adds and removes tags of the user's own meeting. Tags that share, send or delete meetings are refused.",
  },
  input: UpdateMeetingTags,
  output: Success,
  summary: "Add and remove tags of a meeting",
  description:
    "Adds and removes the caller's tags of their meeting, by name. A tag that is shared, that a retention rule names, or to which a webhook is " +
    "limited, is refused: it decides who can read the meeting, who is sent it, or when it is deleted, so people change it in the console.",
  example: { ...MEETING, add: ["Hiring"] },
  refuses: [
    UNKNOWN_MEETING,
    createRefusal(403, MESSAGES.notYourMeetingToEdit),
    createRefusal(400, MESSAGES.nothingToEdit),
    NO_TAG,
    createRefusal(409, sharedTag(1)),
    createRefusal(409, MESSAGES.tagOfRule),
    createRefusal(409, MESSAGES.tagOfWebhook),
  ],
});
