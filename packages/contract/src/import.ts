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

/**
 * A list that is read up to its first wrong item: no other is told, and noting what is wrong with each of a hundred
 * thousand keeps everybody else waiting.
 */
const list = <Item extends z.ZodType>(item: Item, max: number) =>
  z.preprocess((items: z.input<Item>[]) => {
    if (!Array.isArray(items) || items.length > max) return items;
    const wrong = items.findIndex((one) => !item.safeParse(one).success);
    return wrong < 0 ? items : items.slice(0, wrong + 1);
  }, z.array(item).max(max));

const seconds = z.number().min(0).max(LIMITS.segmentSecondsMax);

/** One turn of a transcript. */
export const TranscriptSegment = z.strictObject({
  speakerId: Id.describe("Tells speakers apart within the meeting."),
  speakerName: Name.describe("The speaker's display name."),
  speakerEmail: Email.optional().describe("The speaker's e-mail address, if known."),
  text: longText(LIMITS.segmentTextMax).describe("What was said."),
  start: seconds.optional().describe("Seconds from the start of the recording."),
  end: seconds.optional().describe("Seconds from the start of the recording."),
});

export const RESPONSE_STATUSES = ["accepted", "declined", "tentative", "needsAction"] as const;

/** The calendar event that a meeting was recorded for. */
export const CalendarEventInput = z.strictObject({
  externalId: boundedText(1, LIMITS.externalIdMax).optional().describe("The calendar provider's id."),
  title: trimmedText(1, LIMITS.titleMax).optional().describe("The meeting's title when absent."),
  scheduledTime: InstantInput.optional().describe("When it was to begin; the meeting's start when absent."),
  endTime: InstantInput.optional().describe("When it was to end; the meeting's end when absent."),
  attendees: list(
    z.strictObject({
      name: Name.describe("As the calendar has it."),
      email: Email.describe("The invited address."),
      responseStatus: z.enum(RESPONSE_STATUSES).optional().describe("The answer to the invitation."),
      organizer: z.boolean().default(false).describe("True for whoever invited."),
    }),
    LIMITS.attendeesMax,
  )
    .default([])
    .describe("Who was invited."),
});

const HexColor = z.string().regex(/^#[0-9A-Fa-f]{6}$/, "must be a color of the form #RRGGBB");

/** What is known of a meeting when its recording starts. */
export const startFields = {
  externalId: boundedText(1, LIMITS.externalIdMax).describe(
    "The recorder's own id, unique in the workspace; sending the same again changes nothing.",
  ),
  ownerEmail: Email.describe("The user who recorded it."),
  title: trimmedText(1, LIMITS.titleMax).describe("What it is called, in the calendar or by its recorder."),
  startTime: InstantInput.describe("When the recording began."),
  calendarEvent: CalendarEventInput.optional().describe("The calendar event that it was recorded for."),
};

/** What is known of it when it has been recorded. */
export const contentFields = {
  generatedTitle: trimmedText(1, LIMITS.titleMax).optional().describe("A title made of what was said."),
  transcript: list(TranscriptSegment, LIMITS.segmentsMax)
    .default([])
    .describe("What was said, turn by turn, in order."),
  summary: z
    .strictObject({
      markdown: longText(LIMITS.summaryMax).describe("The summary; HTML is made of it and sanitised."),
      short: trimmedText(1, LIMITS.titleMax)
        .optional()
        .describe("One line; derived from the summary when absent."),
    })
    .optional()
    .describe("Dropped when too little was said to summarise."),
  tasks: list(
    z.strictObject({
      text: trimmedText(1, LIMITS.taskTextMax).describe("What is to be done."),
      completed: z.boolean().default(false).describe("True when it is done already."),
      assignee: z
        .strictObject({
          name: Name.describe("Display name."),
          email: Email.optional().describe("E-mail address, if known."),
        })
        .optional()
        .describe("Who is to do it."),
    }),
    LIMITS.tasksMax,
  )
    .default([])
    .describe("What was agreed to be done, in order."),
  tags: list(
    z.strictObject({
      name: trimmedText(1, LIMITS.tagNameMax).describe("The tag's name, as its owner has it."),
      color: HexColor.optional().describe("Of a tag that is new."),
    }),
    LIMITS.tagsMax,
  )
    .default([])
    .describe("Tags of the owner; made when they are new."),
};

/** A whole recorded meeting, as it is imported. */
export const MeetingImport = z
  .strictObject({
    ...startFields,
    endTime: InstantInput.optional().describe("When the recording ended."),
    ...contentFields,
  })
  .refine((meeting) => meeting.endTime === undefined || meeting.endTime >= meeting.startTime, {
    path: ["endTime"],
    message: "must not be before startTime",
  });
export type MeetingImport = z.output<typeof MeetingImport>;
export type MeetingImportInput = z.input<typeof MeetingImport>;
