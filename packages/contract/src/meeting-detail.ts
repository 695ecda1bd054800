import { z } from "zod";
import { mapFacts, meetingFacts, RESPONSE_STATUSES } from "./import.js";
import { InstantOut } from "./instants.js";
import { SummaryOrigin } from "./instructions.js";

export const Attendee = z
  .object({
    name: z.string().describe("Display name."),
    email: z.string().describe("The invited e-mail address."),
    responseStatus: z.enum(RESPONSE_STATUSES).nullable().describe("Response to the invitation, if known."),
    organizer: z.boolean().describe("True if this attendee organized the event."),
  })
  .meta({ id: "Attendee", description: "A person invited to the calendar event." });

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
    id: z
      .string()
      .describe("Person ID: the same in all meetings of the workspace once the speaker is identified."),
    name: z.string().describe("Display name."),
    email: z.string().nullable().describe("E-mail address, if known."),
  })
  .meta({ id: "Participant", description: "A person who spoke." });

/** The assignee of a task in its meeting. */
export const AssigneeOut = z
  .object({
    name: z.string().describe("Display name."),
    email: z.string().nullable().describe("E-mail address, if known."),
  })
  .nullable()
  .describe("Assignee; null if nobody was named.");

export const MeetingTask = z
  .object({
    content: z.string().describe("Task description."),
    completed: z.boolean().describe("True once the task is done."),
    assignee: AssigneeOut,
  })
  .meta({ id: "MeetingTask", description: "An action item in its meeting." });

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

/** A meeting as `meetings.get` returns it. @see docs/specification.md#meeting-full-detail */
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
      .describe("The whole transcript in Markdown: each speaker's name in bold, then what they said."),
    participants: z.array(Participant).describe("People who spoke, detected from the transcript."),
    tasks: z.array(MeetingTask).describe("Action items of the meeting."),
    tags: z.array(MeetingTag).describe("Labels applied to the meeting."),
    event: CalendarEvent.describe("Calendar event data; falls back to meeting data when no event is linked."),
  })
  .meta({ id: "MeetingDetail", description: "A meeting with all its details." });
export type MeetingDetail = z.infer<typeof MeetingDetail>;

/** A meeting as the console and assistants read it: with all facts, also those that `/v1` doesn't have. */
export const MeetingWithFacts = MeetingDetail.extend(
  mapFacts((name) =>
    z
      .string()
      .nullable()
      .describe(meetingFacts[name].description ?? ""),
  ),
);
export type MeetingWithFacts = z.infer<typeof MeetingWithFacts>;

/** Answer of `meetings.get` for the console and assistants. */
export const MeetingToEdit = MeetingWithFacts.extend({
  tasks: z
    .array(
      MeetingTask.extend({
        due: z
          .string()
          .nullable()
          .describe("The day by which it should be done, `YYYY-MM-DD`; null for none."),
      }).meta({ id: "MeetingTaskWithDue", description: "An action item in its meeting, with its due date." }),
    )
    .describe("Action items of the meeting."),
  version: z.int().describe("The meeting's version: the base of an edit."),
  recordedBy: z.string().describe("Name of the user who recorded the meeting."),
  eventFromCalendar: z
    .boolean()
    .describe("True if the event came from the owner's calendar, so that the owner can unlink it."),
  hasAudio: z
    .boolean()
    .describe("True if the audio of the meeting is kept: `meetings.recording` says where it is."),
  newSummary: z
    .enum(["waiting", "failed"])
    .nullable()
    .describe("Whether a new summary was asked for and is being written, or could not be; null otherwise."),
  summaryOrigin: SummaryOrigin.pick({ name: true, language: true })
    .nullable()
    .describe(
      "The instruction and language that the summary was written with; null without, and for those who can't edit the meeting.",
    ),
  summaryLocked: z
    .boolean()
    .describe(
      "True if there is a summary that the plan's limits lock; false for an empty one that nobody sent.",
    ),
});
export type MeetingToEdit = z.infer<typeof MeetingToEdit>;

/** One turn of a transcript with its label and times. */
const TimedTurn = z.object({
  speakerId: z.string().describe("ID of the speaker: a participant's `id`."),
  speakerLabel: z.string().describe("Label of the speaker within the meeting, which edits of turns name."),
  speakerName: z.string().describe("Display name."),
  text: z.string().describe("What was said."),
  startSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
  endSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
});
export type TimedTurn = z.infer<typeof TimedTurn>;

/** Answer of `meetings.transcript`. */
export const MeetingTranscript = z
  .object({ segments: z.array(TimedTurn).describe("The turns in the order in which they were said.") })
  .meta({ id: "MeetingTranscript", description: "A transcript turn by turn." });
export type MeetingTranscript = z.infer<typeof MeetingTranscript>;
