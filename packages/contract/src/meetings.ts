import { z } from "zod";
import { MeetingCursor } from "./cursors.js";
import { EndDate, InstantOut, StartDate } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, PAGE_REFUSALS, type ProcedureReferences } from "./procedure.js";
import { boundedText, Id } from "./text.js";

/** Page size and date range, shared by both kinds of list. */
export const Page = {
  limit: z
    .int()
    .min(1)
    .max(LIMITS.pageSizeMax)
    .default(LIMITS.pageSizeDefault)
    .describe("How many items to return, 1 to 100; 50 when absent."),
};
export const UserEmail = boundedText(1, LIMITS.emailMax)
  .transform((email) => email.toLowerCase())
  .meta({ minLength: 1, maxLength: LIMITS.emailMax });

/** Date range over meeting starts, shared by lists and search. */
export const meetingRange = {
  startDate: StartDate.optional().describe(
    "Only meetings that start on or after this ISO 8601 date (UTC) or instant.",
  ),
  endDate: EndDate.optional().describe(
    "Only meetings that start on or before this ISO 8601 date (UTC) or instant.",
  ),
};

/** Narrows to meetings with a tag, in the caller's own list and search. */
export const TagName = boundedText(1, LIMITS.tagNameMax)
  .optional()
  .describe(
    "Only meetings that bear this tag of the caller's own, or one shared with the caller. Exact name.",
  );

const listFields = {
  ...Page,
  cursor: MeetingCursor.optional().describe("`nextCursor` of the page before; opaque."),
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
  .describe("Pass as `cursor` for the next page; null on the last one.");

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
  .meta({ id: "MeetingListItem", description: "A meeting, as it appears in lists." });
export type MeetingListItem = z.infer<typeof MeetingListItem>;

export const MeetingPage = z
  .object({
    meetings: z.array(MeetingListItem).describe("The meetings of this page, newest start first."),
    nextCursor: NextCursor,
  })
  .meta({ id: "MeetingPage", description: "One page of meetings." });
export type MeetingPage = z.infer<typeof MeetingPage>;

/** Payload of `meetings.delete`. */
export const DeletedMeeting = z
  .object({
    success: z.boolean().describe("True: the meeting is gone."),
    message: z.string().describe("The same in words."),
    deletedMeetingId: z.string().describe("ID of the meeting that was deleted."),
  })
  .meta({ id: "DeletedMeeting", description: "The receipt of a deletion." });
export type DeletedMeeting = z.infer<typeof DeletedMeeting>;

const NO_ACCESS = createRefusal(403, MESSAGES.noMeetingAccess);
const NO_MEETING = createRefusal(404, MESSAGES.meetingNotFound);
const DELETE =
  "Deletes a meeting with its summary, transcript and tasks, permanently. **This can't be undone.**";

/** What is said about `meetings.*`. @see docs/specification.md#endpoints */
export const MEETING_PROCEDURES = {
  "me/meetings.list": {
    summary: "List own and shared meetings",
    description:
      "The caller's own meetings and those shared with the caller, directly or through a shared tag; newest start " +
      "first, in pages. A filter that matches nothing gives an empty list.",
    example: { limit: 20, startDate: "2026-01-01" },
    refusals: [...PAGE_REFUSALS, createFieldRefusal("tag")],
  },
  "me/meetings.get": {
    summary: "Get a meeting with everything in it",
    description:
      "Summary, transcript, participants, tasks, tags and calendar event of a meeting that the caller owns or that " +
      "is shared with the caller. While a summary is locked by the plan's limits, its texts are empty.",
    example: { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc" },
    refusals: [createFieldRefusal("meetingId"), NO_ACCESS, NO_MEETING],
  },
  "me/meetings.delete": {
    summary: "Delete an own meeting",
    description: `${DELETE} Only meetings that the caller owns; shared ones can't be deleted.`,
    example: { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc" },
    refusals: [createFieldRefusal("meetingId"), createRefusal(403, MESSAGES.notYourMeeting), NO_MEETING],
  },
  "workspace/meetings.list": {
    summary: "List the workspace's meetings",
    description:
      "Meetings of all current members of the workspace; newest start first, in pages. A filter that matches " +
      "nothing gives an empty list.",
    example: { limit: 20, startDate: "2026-01-01" },
    refusals: [...PAGE_REFUSALS, createFieldRefusal("userEmail")],
  },
  "workspace/meetings.get": {
    summary: "Get a meeting of the workspace with everything in it",
    description:
      "Summary, transcript, participants, tasks, tags and calendar event of a meeting that a current member " +
      "recorded. While a summary is locked by the plan's limits, its texts are empty.",
    example: { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc" },
    refusals: [createFieldRefusal("meetingId"), NO_ACCESS, NO_MEETING],
  },
  "workspace/meetings.delete": {
    summary: "Delete a meeting of the workspace",
    description: `${DELETE} Any meeting whose owner is a current member of the workspace.`,
    example: { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc" },
    refusals: [createFieldRefusal("meetingId"), createRefusal(403, MESSAGES.notInWorkspace), NO_MEETING],
  },
} as const satisfies ProcedureReferences;
