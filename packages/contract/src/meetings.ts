import { z } from "zod";
import { MeetingCursor } from "./cursors.js";
import { EndDate, InstantOut, StartDate } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MeetingDetail, MeetingTranscript } from "./meeting-detail.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, mutation, PAGE_REFUSALS, query } from "./operation.js";
import { boundedText, Id } from "./text.js";

/** Page size and date range, shared by all lists. */
export const Page = {
  limit: z
    .int()
    .min(1)
    .max(LIMITS.pageSizeMax)
    .default(LIMITS.pageSizeDefault)
    .describe("Maximum number of items to return, 1 to 100; 50 when absent."),
};
export const UserEmail = boundedText(1, LIMITS.emailMax)
  .transform((email) => email.toLowerCase())
  .meta({ minLength: 1, maxLength: LIMITS.emailMax });

/** Date range over meeting start times, shared by lists and search. */
export const meetingRange = {
  startDate: StartDate.optional().describe(
    "Only meetings that start on or after this ISO 8601 date (UTC) or instant.",
  ),
  endDate: EndDate.optional().describe(
    "Only meetings that start on or before this ISO 8601 date (UTC) or instant.",
  ),
};

/** Filter by tag, for the caller's own list and search. */
export const TagName = boundedText(1, LIMITS.tagNameMax)
  .optional()
  .describe("Only meetings with this tag, which the caller owns or which was shared with them. Exact name.");

/** Filter by ownership, for the console and assistants. */
export const Whose = z
  .enum(["mine", "shared"])
  .optional()
  .describe("Only own meetings, or only those shared with the caller. Ignored with `tag`.");

/** Filter by a person who spoke, for the console and assistants. */
export const PersonName = boundedText(1, LIMITS.emailMax)
  .optional()
  .describe(
    "Only meetings in which this person spoke: an e-mail address, or part of a name. Accents and case don't matter.",
  );

const listFields = {
  ...Page,
  cursor: MeetingCursor.optional().describe("Opaque `nextCursor` of the previous page."),
  ...meetingRange,
};

/** Parameters of `me/meetings.list`. */
export const ListMyMeetings = z
  .strictObject({
    ...listFields,
    tag: TagName,
  })
  .prefault({})
  .meta({ id: "ListMyMeetings" });

/** Parameters of `workspace/meetings.list`. */
export const ListWorkspaceMeetings = z
  .strictObject({
    ...listFields,
    userEmail: UserEmail.optional().describe(
      "Only meetings recorded by the member with this e-mail address.",
    ),
  })
  .prefault({})
  .meta({ id: "ListWorkspaceMeetings" });

/** Parameters of `meetings.get` and `meetings.delete`. */
export const MeetingRef = z
  .strictObject({ meetingId: Id.describe("The meeting's `id`.") })
  .meta({ id: "MeetingRef" });

/** `nextCursor` of every page. */
export const NextCursor = z
  .string()
  .nullable()
  .describe("Pass it as `cursor` to get the next page; null on the last page.");

/** A meeting as lists return it. @see docs/specification.md#meeting-list-item */
export const MeetingListItem = z
  .object({
    id: z.string().describe("Unique meeting ID."),
    title: z.string().describe("Meeting title."),
    generatedTitle: z.string().nullable().describe("Machine-generated title."),
    startTime: InstantOut.describe("When the meeting started: ISO 8601, UTC, milliseconds."),
    endTime: InstantOut.nullable().describe("When the meeting ended: ISO 8601, UTC, milliseconds."),
    calendarEventId: z.string().nullable().describe("Linked calendar event ID."),
    userId: z.string().describe("ID of the user who recorded the meeting."),
  })
  .meta({ id: "MeetingListItem", description: "A meeting in a list." });
export type MeetingListItem = z.infer<typeof MeetingListItem>;

export const MeetingPage = z
  .object({
    meetings: z.array(MeetingListItem).describe("The meetings of this page, latest start first."),
    nextCursor: NextCursor,
  })
  .meta({ id: "MeetingPage", description: "One page of meetings." });
export type MeetingPage = z.infer<typeof MeetingPage>;

/** Answer of `meetings.delete`. */
export const DeletedMeeting = z
  .object({
    success: z.boolean().describe("Always true: the meeting was deleted."),
    message: z.string().describe("A confirmation in words."),
    deletedMeetingId: z.string().describe("ID of the deleted meeting."),
  })
  .meta({ id: "DeletedMeeting", description: "Confirmation of a deletion." });
export type DeletedMeeting = z.infer<typeof DeletedMeeting>;

const NO_ACCESS = createRefusal(403, MESSAGES.noMeetingAccess);
const NO_MEETING = createRefusal(404, MESSAGES.meetingNotFound);
const DELETE =
  "Permanently deletes a meeting with its summary, transcript and tasks. **This can't be undone.**";

const MEETING_EXAMPLE = { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc" };
const READ_REFUSALS = [createFieldRefusal("meetingId"), NO_ACCESS, NO_MEETING];
const LIST = {
  v1: true,
  rest: { at: "GET /meetings", id: "listMeetings" },
  tool: {
    name: "list_meetings",
    title: "List meetings",
    description:
      "Lists meetings by date, latest start first, in pages: ID, title, start and end. Narrow it with startDate and endDate. Read one with get_meeting.",
    list: "meetings",
  },
  output: MeetingPage,
  example: { limit: 20, startDate: "2026-01-01" },
} as const;

/** @see docs/specification.md#personal-key-routes */
export const listMyMeetings = query("meetings.list", {
  ...LIST,
  callers: ["user"],
  operator: { audit: "meeting.list" },
  input: ListMyMeetings,
  summary: "List own and shared meetings",
  description:
    "The caller's own meetings and those shared with the caller, directly or through a shared tag; latest start " +
    "first, in pages. A filter without matches returns an empty list.",
  refuses: [...PAGE_REFUSALS, createFieldRefusal("tag")],
});

export const listWorkspaceMeetings = query("meetings.list", {
  ...LIST,
  callers: ["workspace"],
  input: ListWorkspaceMeetings,
  summary: "List the workspace's meetings",
  description:
    "Meetings of all current members of the workspace; latest start first, in pages. A filter without " +
    "matches returns an empty list.",
  refuses: [...PAGE_REFUSALS, createFieldRefusal("userEmail")],
});

export const getMeeting = query("meetings.get", {
  callers: ["user", "workspace"],
  operator: { ownerOf: "meetingId", audit: "meeting.get" },
  v1: true,
  rest: { at: "GET /meetings/{meetingId}", id: "getMeeting" },
  input: MeetingRef,
  output: MeetingDetail,
  summary: {
    user: "Get a meeting with all its details",
    workspace: "Get a meeting of the workspace with all its details",
  },
  description: {
    user:
      "Summary, transcript, participants, tasks, tags and calendar event of a meeting that the caller owns or that " +
      "is shared with the caller. While a summary is locked by the plan's limits, its texts are empty.",
    workspace:
      "Summary, transcript, participants, tasks, tags and calendar event of a meeting that a current member " +
      "recorded. While a summary is locked by the plan's limits, its texts are empty.",
  },
  example: MEETING_EXAMPLE,
  refuses: READ_REFUSALS,
});

export const deleteMeeting = mutation("meetings.delete", {
  callers: ["user", "workspace"],
  operator: { ownerOf: "meetingId" },
  v1: true,
  rest: { at: "DELETE /meetings/{meetingId}", id: "deleteMeeting" },
  tool: {
    name: "delete_meeting",
    title: "Delete a meeting for good",
    description:
      "Permanently deletes a meeting with its summary, transcript and tasks. This can't be undone: ask the user first, naming the meeting by title and date.",
    destructive: true,
  },
  input: MeetingRef,
  output: DeletedMeeting,
  summary: { user: "Delete one of your own meetings", workspace: "Delete a meeting of the workspace" },
  description: {
    user: `${DELETE} Only meetings that the caller owns; shared ones can't be deleted.`,
    workspace: `${DELETE} Any meeting whose owner is a current member of the workspace.`,
  },
  example: MEETING_EXAMPLE,
  refuses: {
    user: [createFieldRefusal("meetingId"), createRefusal(403, MESSAGES.notYourMeeting), NO_MEETING],
    workspace: [createFieldRefusal("meetingId"), createRefusal(403, MESSAGES.notInWorkspace), NO_MEETING],
  },
});

const TRANSCRIPT =
  "The transcript turn by turn, with speakers and, if known, the seconds from the start of the recording.";

export const getTranscript = query("meetings.transcript", {
  callers: ["user", "workspace"],
  rest: { at: "GET /meetings/{meetingId}/transcript", id: "getTranscript" },
  costly: true,
  input: MeetingRef,
  output: MeetingTranscript,
  summary: {
    user: "Get the transcript of a meeting",
    workspace: "Get the transcript of a meeting of the workspace",
  },
  description: {
    user: `${TRANSCRIPT} Only meetings that the caller owns or that are shared with the caller.`,
    workspace: `${TRANSCRIPT} Only meetings that a current member recorded.`,
  },
  example: MEETING_EXAMPLE,
  refuses: READ_REFUSALS,
});
