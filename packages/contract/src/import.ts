import { z } from "zod";
import { InstantInput } from "./instants.js";
import { LIMITS } from "./limits.js";
import { boundedText, codePoints, Email, Id, isStorable, Name, trimmedText } from "./text.js";

/** Long text that is stored as it is. */
const longText = (max: number) =>
  z
    .string()
    .refine(
      (text) => isStorable(text) && codePoints(text) <= max,
      `must be at most ${max} characters, without NUL`,
    );

const seconds = z.number().min(0).max(LIMITS.segmentSecondsMax);

/** One turn of a transcript. */
export const TranscriptSegment = z.strictObject({
  speakerId: Id.describe("Tells speakers apart within the meeting."),
  speakerName: Name,
  speakerEmail: Email.optional(),
  text: longText(LIMITS.segmentTextMax),
  start: seconds.optional().describe("Seconds from the start of the recording."),
  end: seconds.optional().describe("Seconds from the start of the recording."),
});

export const RESPONSE_STATUSES = ["accepted", "declined", "tentative", "needsAction"] as const;

/** The calendar event that a meeting was recorded for. */
export const CalendarEventInput = z.strictObject({
  externalId: boundedText(1, LIMITS.externalIdMax).optional().describe("The calendar provider's id."),
  title: trimmedText(1, LIMITS.titleMax).optional(),
  scheduledTime: InstantInput.optional(),
  endTime: InstantInput.optional(),
  attendees: z
    .array(
      z.strictObject({
        name: Name,
        email: Email,
        responseStatus: z.enum(RESPONSE_STATUSES).optional(),
        organizer: z.boolean().default(false),
      }),
    )
    .max(LIMITS.attendeesMax)
    .default([]),
});

const HexColor = z.string().regex(/^#[0-9A-Fa-f]{6}$/, "must be a color of the form #RRGGBB");

/** What is known of a meeting when its recording starts. */
export const startFields = {
  externalId: boundedText(1, LIMITS.externalIdMax).describe(
    "The recorder's own id, unique in the workspace; sending the same again changes nothing.",
  ),
  ownerEmail: Email.describe("The user who recorded it."),
  title: trimmedText(1, LIMITS.titleMax),
  startTime: InstantInput,
  calendarEvent: CalendarEventInput.optional(),
};

/** What is known of it when it has been recorded. */
export const contentFields = {
  generatedTitle: trimmedText(1, LIMITS.titleMax).optional(),
  transcript: z.array(TranscriptSegment).max(LIMITS.segmentsMax).default([]),
  summary: z
    .strictObject({
      markdown: longText(LIMITS.summaryMax),
      short: trimmedText(1, LIMITS.titleMax)
        .optional()
        .describe("One line; derived from the summary when absent."),
    })
    .optional(),
  tasks: z
    .array(
      z.strictObject({
        text: trimmedText(1, LIMITS.taskTextMax),
        completed: z.boolean().default(false),
        assignee: z.strictObject({ name: Name, email: Email.optional() }).optional(),
      }),
    )
    .max(LIMITS.tasksMax)
    .default([]),
  tags: z
    .array(z.strictObject({ name: trimmedText(1, LIMITS.tagNameMax), color: HexColor.optional() }))
    .max(LIMITS.tagsMax)
    .default([])
    .describe("Tags of the owner; made when they are new."),
};

/** A whole recorded meeting, as it is imported. */
export const MeetingImport = z
  .strictObject({ ...startFields, endTime: InstantInput.optional(), ...contentFields })
  .refine((meeting) => meeting.endTime === undefined || meeting.endTime >= meeting.startTime, {
    path: ["endTime"],
    message: "must not be before startTime",
  });
export type MeetingImport = z.output<typeof MeetingImport>;
export type MeetingImportInput = z.input<typeof MeetingImport>;
