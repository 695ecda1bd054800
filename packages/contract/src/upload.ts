import { z } from "zod";
import { StartPrecision } from "./import.js";
import { InstantInput, InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { mutation } from "./operation.js";
import { trimmedText } from "./text.js";

const labels = z.array(z.string().max(LIMITS.nameMax)).max(LIMITS.uploadLabels).default([]);

const place = {
  file: z.string().nullable().describe("Name within an archive; null for a file that is none."),
  index: z.int().nullable().describe("Index in a file with several meetings, from 0."),
  line: z
    .int()
    .nullable()
    .describe("Line number, from 1; null if the problem has no line, or the file is not JSON Lines."),
};

/** A file that a person uploads in the console. */
export const UploadedFile = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(LIMITS.fileNameMax)
      .describe("The file's name. Its extension determines the format where the content fits several."),
    text: z.string().optional().describe("The file's content, for a file in UTF-8."),
    bytes: z.base64().optional().describe("The file's content in Base64, for any other file."),
    modifiedAt: InstantInput.describe(
      "When the file was last modified. Used as a meeting's start if the file has none.",
    ),
    lenient: z.boolean().default(false).describe("True keeps transcript lines without a speaker."),
    speakers: labels.describe("Labels in the transcript that are speakers."),
    notSpeakers: labels.describe("Labels in the transcript that are speech."),
    timeZone: z
      .string()
      .max(64)
      .optional()
      .describe("Zone of dates without one, such as `Europe/Berlin`; UTC when absent."),
    title: trimmedText(1, LIMITS.titleMax)
      .optional()
      .describe("Title of the file's only meeting, instead of its own."),
    starts: z
      .array(z.strictObject({ ...place, startTime: InstantInput.describe("Start of the meeting.") }))
      .max(LIMITS.uploadMeetings)
      .default([])
      .describe("Starts of meetings by their place, instead of their own."),
  })
  .refine(({ text, bytes }) => (text === undefined) !== (bytes === undefined), {
    path: ["text"],
    message: "or bytes must be given, not both",
  });
export type UploadedFile = z.output<typeof UploadedFile>;

const failed = z
  .array(z.object({ ...place, error: z.string().describe("What is wrong.") }))
  .describe("Meetings, or the whole file, that could not be imported.");

const skipped = z
  .array(z.string())
  .describe(
    "Names of the first thousand files of an archive that were not read, because their format is unknown.",
  );

/** What was read from a file, before it is stored. */
export const UploadPreview = z.object({
  meetings: z
    .array(
      z.object({
        ...place,
        duplicate: z
          .boolean()
          .describe("True if it was imported before: it is skipped, or refused if its content differs."),
        title: z.string().describe("Title of the meeting."),
        startTime: InstantOut.describe("Start of the meeting."),
        startSource: z
          .enum(["file", "fileName", "fileTime", "given"])
          .describe(
            "Where the start comes from: the content, the file's name, its time of modification, or the importer.",
          ),
        startPrecision: StartPrecision.nullable().describe(
          "`day` or `guess` if the start isn't known exactly.",
        ),
        timeZone: z
          .string()
          .nullable()
          .describe("Zone in which a date without one was read; null if the date has one."),
        encoding: z.string().nullable().describe("Encoding that was assumed; null if the file states it."),
        turns: z.int().describe("Number of turns."),
        speakers: z
          .array(
            z.object({
              name: z.string().describe("Name of the speaker."),
              turns: z.int().describe("Number of their turns."),
            }),
          )
          .describe("The first speakers with their number of turns."),
        speakerCount: z.int().describe("Number of all speakers."),
        firstTurns: z
          .array(
            z.object({
              speaker: z.string().describe("Name of the speaker."),
              text: z.string().describe("Beginning of what was said."),
              start: z.number().nullable().describe("Seconds from the start; null if the file has no time."),
            }),
          )
          .describe("The beginning of the transcript."),
        doubts: z
          .array(
            z.object({
              label: z.string().describe("Text before a colon or next to a time."),
              count: z.int().describe("Number of times that the file has it."),
              speaker: z.boolean().describe("True if it was taken as a speaker."),
            }),
          )
          .describe("Labels of which it is uncertain whether they are speakers."),
        remarks: z.array(z.string()).describe("What was corrected or left out."),
        notStored: z.array(z.string()).describe("Fields of the file that a meeting has no place for."),
        unassigned: z.int().describe("Number of lines kept without a speaker."),
      }),
    )
    .describe("The meetings of the file, in order."),
  failed,
  skipped,
});
export type UploadPreview = z.output<typeof UploadPreview>;

/** The result of an upload. Problems in the file are listed in `failed` instead of being thrown. */
export const UploadReport = z.object({
  created: z.int().describe("Number of new meetings."),
  unchanged: z.int().describe("Number of meetings that already existed."),
  meetingIds: z.array(z.string()).describe("Ids of new and existing meetings, in file order."),
  failed,
  skipped,
  notStored: z
    .array(z.object({ ...place, fields: z.array(z.string()).describe("Fields such as `tags.color`.") }))
    .describe("Meetings imported without some of their fields."),
  fileTimes: z
    .array(
      z.object({
        ...place,
        title: z.string().describe("Title of the meeting."),
        startTime: InstantOut.describe("Start that was assumed."),
      }),
    )
    .describe("Meetings without a date: the file's time of modification was taken as their start."),
  sharedByTag: z
    .array(
      z.object({
        tag: z.string().describe("Name of a tag of the new meetings."),
        readers: z.array(z.string()).describe("Names of the members it is shared with."),
      }),
    )
    .describe("Shared tags of the new meetings: these members can read them."),
  unassigned: z
    .array(z.int())
    .describe("Numbers of the first thousand lines kept without a speaker, from 1."),
});
export type UploadReport = z.output<typeof UploadReport>;

const UPLOAD = {
  callers: ["user"],
  session: true,
  input: UploadedFile,
  example: { name: "plan.txt", text: "Anna: Hello.", modifiedAt: "2026-01-15T09:30:00.000Z" },
  refuses: [],
} as const;

export const previewFile = mutation("files.preview", {
  ...UPLOAD,
  output: UploadPreview,
  summary: "Preview a file",
  description: "Reads the meetings of a file as `files.import` does, and stores nothing.",
});

export const importFile = mutation("files.import", {
  ...UPLOAD,
  output: UploadReport,
  summary: "Import a file",
  description: "Imports the meetings of a file for the caller, and reports the result of each.",
});
