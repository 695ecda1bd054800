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

/** A time in an answer: always `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const InstantOut = z.string().meta({ format: "date-time" });

/** `nextCursor` of every page. */
export const NextCursor = z
  .string()
  .nullable()
  .describe("Pass as `cursor` for the next page; null on the last one.");

/** Contract: "Meeting (list item)". */
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

const Attendee = z
  .object({
    name: z.string().describe("Display name."),
    email: z.string().describe("E-mail address that was invited."),
    responseStatus: z.enum(RESPONSE_STATUSES).nullable().describe("Answer to the invitation, if known."),
    organizer: z.boolean().describe("True if this attendee organized the event."),
  })
  .meta({ id: "Attendee", description: "Somebody invited to the calendar event." });

export const Recorder = z
  .object({
    id: z.string().describe("ID of the user who recorded the meeting."),
    email: z.string().describe("That user's e-mail address."),
  })
  .meta({ id: "Recorder", description: "The user who recorded the meeting." });

export const Summary = z
  .object({
    markdown: z.string().describe("Summary as Markdown; empty while the summary is locked."),
    html: z.string().describe("Summary as HTML; empty while the summary is locked."),
    short: z.string().describe("Brief one-line summary; empty while the summary is locked."),
  })
  .meta({ id: "Summary", description: "What the meeting was about." });

export const Participant = z
  .object({
    id: z.string().describe("Participant ID."),
    name: z.string().describe("Display name."),
    email: z.string().nullable().describe("E-mail address, if known."),
  })
  .meta({ id: "Participant", description: "Somebody who spoke." });

export const MeetingTask = z
  .object({
    content: z.string().describe("Task description."),
    completed: z.boolean().describe("True once the task is done."),
    assignee: z
      .object({
        name: z.string().describe("Display name."),
        email: z.string().nullable().describe("E-mail address, if known."),
      })
      .nullable()
      .describe("Who should do it; null if nobody was named."),
  })
  .meta({ id: "MeetingTask", description: "An action item, as it appears in its meeting." });

export const MeetingTag = z
  .object({
    name: z.string().describe("The tag's name."),
    color: z.string().meta({ pattern: "^#[0-9A-Fa-f]{6}$" }).describe("Hex color of the form `#RRGGBB`."),
  })
  .meta({ id: "MeetingTag", description: "A label on the meeting." });

export const CalendarEvent = z
  .object({
    id: z.string().nullable().describe("Internal calendar event ID."),
    externalId: z.string().nullable().describe("Event ID in the calendar provider."),
    title: z.string().describe("Event title; falls back to the meeting title."),
    scheduledTime: InstantOut.describe("Scheduled start, ISO 8601; falls back to the meeting's start."),
    endTime: InstantOut.nullable().describe("Scheduled end, ISO 8601; falls back to the meeting's end."),
    attendees: z.array(Attendee).describe("People invited; they may not have spoken or attended."),
  })
  .meta({ id: "CalendarEvent", description: "Calendar event data." });

/** Contract: "Meeting (full detail)". */
export const MeetingDetail = z
  .object({
    id: z.string().describe("Unique meeting ID."),
    title: z.string().describe("Meeting title."),
    generatedTitle: z.string().nullable().describe("Machine-generated title."),
    startTime: InstantOut.describe("When the meeting started: ISO 8601, UTC, milliseconds."),
    endTime: InstantOut.nullable().describe("When the meeting ended: ISO 8601, UTC, milliseconds."),
    user: Recorder.describe("Who recorded the meeting."),
    summary: Summary.describe("What the meeting was about; its texts are empty while it is locked."),
    transcript: z
      .string()
      .describe("Whole transcript as Markdown: each speaker's name bold, then what was said."),
    participants: z.array(Participant).describe("People who spoke, detected from the transcript."),
    tasks: z.array(MeetingTask).describe("Action items of the meeting."),
    tags: z.array(MeetingTag).describe("Labels applied to the meeting."),
    event: CalendarEvent.describe("Calendar event data; falls back to meeting data when no event is linked."),
  })
  .meta({ id: "MeetingDetail", description: "A meeting with everything that is known of it." });
export type MeetingDetail = z.infer<typeof MeetingDetail>;

/** Payload of `meetings.delete`. */
export const DeletedMeeting = z
  .object({
    success: z.boolean().describe("True: the meeting is gone."),
    message: z.string().describe("The same in words."),
    deletedMeetingId: z.string().describe("ID of the meeting that was deleted."),
  })
  .meta({ id: "DeletedMeeting", description: "The receipt of a deletion." });
export type DeletedMeeting = z.infer<typeof DeletedMeeting>;
