import { z } from "zod";
import { InstantInput } from "./instants.js";
import { LIMITS } from "./limits.js";
import { boundedText, countCodePoints, Email, Id, isStorable, Name, trimmedText } from "./text.js";

/** Creates the schema of long text that is stored unchanged. */
const longText = (max: number) =>
  z
    .string()
    .refine(
      (text) => isStorable(text) && countCodePoints(text) <= max,
      `must be at most ${max} characters, without NUL`,
    );

/**
 * Creates the schema of a list that is validated up to its first invalid item. Only that one is reported, and collecting the issues of a
 * hundred thousand items would block the process.
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
  speakerId: Id.describe("Identifies the speaker within the meeting."),
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
  scheduledTime: InstantInput.optional().describe("Scheduled start; the meeting's start when absent."),
  endTime: InstantInput.optional().describe("Scheduled end; the meeting's end when absent."),
  attendees: list(
    z.strictObject({
      name: Name.describe("Display name in the calendar."),
      email: Email.describe("Invited e-mail address."),
      responseStatus: z.enum(RESPONSE_STATUSES).optional().describe("The answer to the invitation."),
      organizer: z.boolean().default(false).describe("True for the organizer."),
    }),
    LIMITS.attendeesMax,
  )
    .default([])
    .describe("People who were invited."),
});

const HexColor = z.string().regex(/^#[0-9A-Fa-f]{6}$/, "must be a color of the form #RRGGBB");

/** Fields that are known when a recording starts. */
export const startFields = {
  externalId: boundedText(1, LIMITS.externalIdMax).describe(
    "The recorder's own id, unique in the workspace; sending the same again changes nothing.",
  ),
  ownerEmail: Email.describe("The user who recorded it."),
  title: trimmedText(1, LIMITS.titleMax).describe("Meeting title."),
  startTime: InstantInput.describe("When the recording began."),
  calendarEvent: CalendarEventInput.optional().describe("The calendar event that it was recorded for."),
};

/** Fields that are known when a recording is complete. */
export const contentFields = {
  generatedTitle: trimmedText(1, LIMITS.titleMax).optional().describe("Machine-generated title."),
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
      text: trimmedText(1, LIMITS.taskTextMax).describe("Task description."),
      completed: z.boolean().default(false).describe("True if it is already done."),
      assignee: z
        .strictObject({
          name: Name.describe("Display name."),
          email: Email.optional().describe("E-mail address, if known."),
        })
        .optional()
        .describe("The person who should do it."),
    }),
    LIMITS.tasksMax,
  )
    .default([])
    .describe("Action items, in order."),
  tags: list(
    z.strictObject({
      name: trimmedText(1, LIMITS.tagNameMax).describe("The tag's name, as its owner has it."),
      color: HexColor.optional().describe("Color of a tag that does not exist yet."),
    }),
    LIMITS.tagsMax,
  )
    .default([])
    .describe("Tags of the owner; made when they are new."),
};

/** A complete meeting to import. */
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
