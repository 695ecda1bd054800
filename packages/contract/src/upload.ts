import { z } from "zod";
import { InstantInput } from "./instants.js";
import { LIMITS } from "./limits.js";

/** A file that a person uploads in the console. */
export const UploadedFile = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(LIMITS.fileNameMax)
    .describe("The file's name. Its extension determines the format."),
  text: z.string().describe("The file's content."),
  modifiedAt: InstantInput.describe(
    "When the file was last modified. Used as a meeting's start if the file has none.",
  ),
  lenient: z.boolean().default(false).describe("True keeps transcript lines without a speaker."),
});
export type UploadedFile = z.output<typeof UploadedFile>;

/** The result of an upload. Problems in the file are listed in `failed` instead of being thrown. */
export const UploadReport = z.object({
  created: z.int().describe("Number of new meetings."),
  unchanged: z.int().describe("Number of meetings that already existed."),
  meetingIds: z.array(z.string()).describe("Ids of new and existing meetings, in file order."),
  failed: z
    .array(
      z.object({
        index: z.int().nullable().describe("Index in a file with several meetings, from 0."),
        line: z.int().nullable().describe("Line number, from 1; null if the problem has no line."),
        error: z.string().describe("What is wrong."),
      }),
    )
    .describe("Meetings, or the whole file, that could not be imported."),
  notStored: z
    .array(
      z.object({
        index: z.int().nullable().describe("Index in a file with several meetings, from 0."),
        line: z.int().nullable().describe("Line number, from 1; null if the file is not JSON Lines."),
        fields: z.array(z.string()).describe("Fields such as `tags.color`."),
      }),
    )
    .describe("Meetings imported without some of their fields."),
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
