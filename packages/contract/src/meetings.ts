import { z } from "zod";
import { MeetingCursor } from "./cursors.js";
import { RESPONSE_STATUSES } from "./import.js";
import { EndDate, StartDate } from "./instants.js";
import { LIMITS } from "./limits.js";
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
export const UserEmail = boundedText(1, LIMITS.emailMax).transform((email) => email.toLowerCase());

/** Date range over meeting starts, shared by lists and search. */
export const meetingRange = {
  startDate: StartDate.optional().describe(
    "Only meetings that start on or after this ISO 8601 date (UTC) or instant.",
  ),
  endDate: EndDate.optional().describe(
    "Only meetings that start on or before this ISO 8601 date (UTC) or instant.",
  ),
};
const listFields = {
  ...Page,
  cursor: MeetingCursor.optional().describe("`nextCursor` of the page before; opaque."),
  ...meetingRange,
};

/** Parameters of `me/meetings.list`. */
export const ListMyMeetings = z
  .strictObject({
    ...listFields,
    tag: boundedText(1, LIMITS.tagNameMax)
      .optional()
      .describe(
        "Only meetings that bear this tag of the caller's own, or one shared with the caller. Exact name.",
      ),
  })
  .prefault({});

/** Parameters of `workspace/meetings.list`. */
export const ListWorkspaceMeetings = z
  .strictObject({
    ...listFields,
    userEmail: UserEmail.optional().describe(
      "Only meetings recorded by the member with this e-mail address.",
    ),
  })
  .prefault({});

/** Parameters of `meetings.get` and `meetings.delete`. */
export const MeetingRef = z.strictObject({ meetingId: Id.describe("The meeting's `id`.") });

const InstantOut = z.string().describe("ISO 8601, UTC, milliseconds.");

/** Contract: "Meeting (list item)". */
export const MeetingListItem = z.object({
  id: z.string().describe("Unique meeting ID."),
  title: z.string().describe("Meeting title."),
  generatedTitle: z.string().nullable().describe("Machine-generated title."),
  startTime: InstantOut,
  endTime: InstantOut.nullable(),
  calendarEventId: z.string().nullable().describe("Linked calendar event."),
  userId: z.string().describe("The user who recorded the meeting."),
});
export type MeetingListItem = z.infer<typeof MeetingListItem>;

export const MeetingPage = z.object({
  meetings: z.array(MeetingListItem),
  nextCursor: z.string().nullable().describe("Pass as `cursor` for the next page; null on the last one."),
});
export type MeetingPage = z.infer<typeof MeetingPage>;

const Attendee = z.object({
  name: z.string(),
  email: z.string(),
  responseStatus: z.enum(RESPONSE_STATUSES).nullable(),
  organizer: z.boolean().describe("True if this attendee organized the event."),
});

/** Contract: "Meeting (full detail)". */
export const MeetingDetail = z.object({
  id: z.string().describe("Unique meeting ID."),
  title: z.string().describe("Meeting title."),
  generatedTitle: z.string().nullable().describe("Machine-generated title."),
  startTime: InstantOut,
  endTime: InstantOut.nullable(),
  user: z.object({
    id: z.string().describe("The user who recorded the meeting."),
    email: z.string().describe("That user's e-mail address."),
  }),
  summary: z.object({
    markdown: z.string().describe("Summary as Markdown; empty while the summary is locked."),
    html: z.string().describe("Summary as HTML; empty while the summary is locked."),
    short: z.string().describe("Brief one-line summary; empty while the summary is locked."),
  }),
  transcript: z
    .string()
    .describe("Whole transcript as Markdown: each speaker's name bold, then what was said."),
  participants: z
    .array(z.object({ id: z.string(), name: z.string(), email: z.string().nullable() }))
    .describe("People who spoke, detected from the transcript."),
  tasks: z
    .array(
      z.object({
        content: z.string().describe("Task description."),
        completed: z.boolean(),
        assignee: z.object({ name: z.string(), email: z.string().nullable() }).nullable(),
      }),
    )
    .describe("Action items of the meeting."),
  tags: z
    .array(z.object({ name: z.string(), color: z.string().describe("`#RRGGBB`.") }))
    .describe("Labels applied to the meeting."),
  event: z
    .object({
      id: z.string().nullable().describe("Internal calendar event ID."),
      externalId: z.string().nullable().describe("Event ID in the calendar provider."),
      title: z.string().describe("Falls back to the meeting title."),
      scheduledTime: InstantOut.describe("Falls back to the meeting's start."),
      endTime: InstantOut.nullable().describe("Falls back to the meeting's end."),
      attendees: z.array(Attendee).describe("People invited; they may not have spoken or attended."),
    })
    .describe("Calendar event data; falls back to meeting data when no event is linked."),
});
export type MeetingDetail = z.infer<typeof MeetingDetail>;

/** Payload of `meetings.delete`. */
export const DeletedMeeting = z.object({
  success: z.boolean(),
  message: z.string(),
  deletedMeetingId: z.string(),
});
export type DeletedMeeting = z.infer<typeof DeletedMeeting>;
