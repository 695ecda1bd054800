import { z } from "zod";
import { Day, InstantInput } from "./instants.js";
import { LIMITS } from "./limits.js";
import { boundedText, countCodePoints, Email, Id, isStorable, Name, trimmedText } from "./text.js";

/** Creates the schema of long text that is stored as sent. */
export const untrimmedText = (max: number) =>
  z
    .string()
    .refine(
      (text) => isStorable(text) && countCodePoints(text) <= max,
      `must be at most ${max} characters, without NUL`,
    );

/**
 * Creates the schema of a list whose validation stops at the first invalid item: collecting the issues of a hundred
 * thousand items would block the process.
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
  text: untrimmedText(LIMITS.segmentTextMax).describe("What was said."),
  start: seconds.optional().describe("Seconds from the start of the recording."),
  end: seconds.optional().describe("Seconds from the start of the recording."),
});

/** Returns true if a transcript has no more speakers than a meeting can have: each becomes a person, under a lock. */
const hasFewSpeakers = (transcript: readonly { readonly speakerId: string }[]): boolean =>
  new Set(transcript.map(({ speakerId }) => speakerId)).size <= LIMITS.speakersMax;

export const RESPONSE_STATUSES = ["accepted", "declined", "tentative", "needsAction"] as const;

/** The calendar event of a meeting. */
export const CalendarEventInput = z.strictObject({
  externalId: boundedText(1, LIMITS.externalIdMax).optional().describe("The calendar provider's id."),
  title: trimmedText(1, LIMITS.titleMax).optional().describe("Defaults to the meeting's title."),
  scheduledTime: InstantInput.optional().describe("Scheduled start; defaults to the meeting's start."),
  endTime: InstantInput.optional().describe("Scheduled end; defaults to the meeting's end."),
  attendees: list(
    z.strictObject({
      name: Name.describe("Display name in the calendar."),
      email: Email.describe("The invited e-mail address."),
      responseStatus: z.enum(RESPONSE_STATUSES).optional().describe("The response to the invitation."),
      organizer: z.boolean().default(false).describe("True for the organizer."),
    }),
    LIMITS.attendeesMax,
  )
    .default([])
    .describe("The invited people."),
});

const HexColor = z.string().regex(/^#[0-9A-Fa-f]{6}$/, "must be a color of the form #RRGGBB");

/** Fields known when a recording starts. */
export const startFields = {
  externalId: boundedText(1, LIMITS.externalIdMax).describe(
    "The recorder's own id, unique in the workspace. Sending the same one again changes nothing.",
  ),
  ownerEmail: Email.describe("E-mail address of the user who recorded it."),
  title: trimmedText(1, LIMITS.titleMax).describe("Meeting title."),
  startTime: InstantInput.describe("When the recording started."),
  calendarEvent: CalendarEventInput.optional().describe("The calendar event of the recording."),
};

/** Returns true for an address without user name or password. Others would hand somebody else's credentials to readers' browsers. */
const hasNoCredentials = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && url.username === "" && url.password === "";
};

/** The address of a recording at its provider. In ASCII, because it becomes a header. */
export const RecordingUrl = z
  .string()
  .max(LIMITS.recordingUrlMax)
  .regex(/^https:\/\/[\x21-\x7e]+$/, "must be an https:// address without spaces")
  .refine(hasNoCredentials, "must be an https:// address without user name or password");

/** Precision of a meeting's start that isn't known exactly. */
export const StartPrecision = z.enum(["day", "guess"]);

/**
 * Texts about a meeting that a recorder may send. Each has a column of the same name in `meetings`, and is stored, replaced,
 * exported, restored and shown by the console and to assistants without further code.
 */
export const meetingFacts = {
  generatedTitle: trimmedText(1, LIMITS.titleMax).optional().describe("Machine-generated title."),
  recordingUrl: RecordingUrl.optional().describe("Where the recording stays at its provider. Never fetched."),
  startPrecision: StartPrecision.optional().describe(
    "`day` if only the UTC day of `startTime` is known, `guess` if it is an estimate, such as a file's time. Absent: exact.",
  ),
};
type FactName = keyof typeof meetingFacts;
export const FACT_NAMES = Object.keys(meetingFacts) as FactName[];
/** The facts of a stored meeting; null where none was sent. */
export type MeetingFacts = {
  readonly [Name in FactName]: Exclude<z.output<(typeof meetingFacts)[Name]>, undefined> | null;
};

/** Gives each fact a schema of its own. */
export const mapFacts = <Schema extends z.ZodType>(toSchema: (name: FactName) => Schema) =>
  Object.fromEntries(FACT_NAMES.map((name) => [name, toSchema(name)])) as Record<FactName, Schema>;

/** A summary as callers write it. */
export const SummaryInput = z.strictObject({
  markdown: untrimmedText(LIMITS.summaryMax).describe(
    "The summary in Markdown. It is converted to HTML and sanitized.",
  ),
  short: trimmedText(1, LIMITS.titleMax)
    .optional()
    .describe("One-line summary; derived from the summary when absent."),
});

/** The assignee of a task as callers name them. */
export const AssigneeInput = z.strictObject({
  name: Name.describe("Display name."),
  email: Email.optional().describe("E-mail address, if known."),
});

/** Fields known when a recording is complete. */
export const contentFields = {
  ...meetingFacts,
  transcript: list(TranscriptSegment, LIMITS.segmentsMax)
    .refine(hasFewSpeakers, `must have at most ${LIMITS.speakersMax.toLocaleString("en")} speakers`)
    .default([])
    .describe("The transcript, turn by turn, in order."),
  summary: SummaryInput.optional().describe("Stored even if too little was said to charge a credit."),
  tasks: list(
    z.strictObject({
      text: trimmedText(1, LIMITS.taskTextMax).describe("Task description."),
      completed: z.boolean().default(false).describe("True if the task is already done."),
      assignee: AssigneeInput.optional().describe("The person who should do it."),
      due: Day.optional().describe("The day by which it should be done, such as 2026-03-14."),
      createdAt: InstantInput.optional().describe(
        "When the task was created; defaults to the meeting's end, or its start if there is no end.",
      ),
    }),
    LIMITS.tasksMax,
  )
    .default([])
    .describe("Action items, in order."),
  tags: list(
    z.strictObject({
      name: trimmedText(1, LIMITS.tagNameMax).describe("The tag's exact name."),
      color: HexColor.optional().describe("Color for a tag that does not exist yet."),
    }),
    LIMITS.tagsMax,
  )
    .default([])
    .describe("Tags of the owner. Missing ones are created."),
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

/** How an import treats an existing meeting with the same `externalId`. */
const overwriteFields = {
  replace: z
    .boolean()
    .default(false)
    .describe("True replaces the content of the meeting with this `externalId` and keeps its id."),
  restore: z.boolean().default(false).describe("True imports a deleted meeting again, with a new id."),
};
export const ImportOverwrite = z.strictObject(overwriteFields);
export type ImportOverwrite = z.output<typeof ImportOverwrite>;

/** Parameters of `meetings.import`. */
export const ImportMeeting = MeetingImport.safeExtend(overwriteFields);
export type ImportMeeting = z.output<typeof ImportMeeting>;

/** Lists the addresses of the people who spoke in a meeting or were invited, each once. */
export const listAddresses = ({
  transcript,
  calendarEvent,
}: Pick<MeetingImport, "transcript" | "calendarEvent">): string[] => {
  const spoke = transcript.flatMap(({ speakerEmail }) => speakerEmail ?? []);
  return [...new Set([...spoke, ...(calendarEvent?.attendees ?? []).map(({ email }) => email)])];
};
