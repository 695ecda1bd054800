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
  text: z.string().describe("The file's text."),
  modifiedAt: InstantInput.describe(
    "When the file was last modified. Taken as the start of a meeting when the file gives none.",
  ),
  lenient: z.boolean().default(false).describe("True keeps lines of transcripts that name no speaker."),
});
export type UploadedFile = z.output<typeof UploadedFile>;

/** The result of an upload. Faults of the file are listed in `failed`, not thrown. */
export const UploadReport = z.object({
  created: z.int().describe("Meetings that are new."),
  unchanged: z.int().describe("Meetings that were there already."),
  meetingIds: z.array(z.string()).describe("Ids of both, in the order of the file."),
  failed: z
    .array(
      z.object({
        index: z.int().nullable().describe("Its place in a file that holds several, from 0."),
        line: z.int().nullable().describe("Counted from 1; null where the fault has no line."),
        error: z.string().describe("What is wrong."),
      }),
    )
    .describe("Meetings, or the whole file, that were not imported."),
  unassigned: z.array(z.int()).describe("Lines that were kept although they name no speaker, from 1."),
});
export type UploadReport = z.output<typeof UploadReport>;
