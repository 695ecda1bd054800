import { z } from "zod";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { Id } from "./text.js";

/** Why an uploaded recording did not become a meeting, in words. */
export const TRANSCRIPTION_FAILURES = {
  silent: "The transcriber heard no speech in the recording.",
  refused:
    "The transcriber does not take this recording. Check that it plays, and compress it, for example to MP3 with 64 kbit/s.",
  unavailable:
    "The transcriber could not be reached, or failed, several times. Ask the operator, then upload the recording again.",
  damaged: "The stored recording can't be read anymore. Upload it again.",
  unreadable:
    "The recording can't be decoded. Check that it plays, and convert it, for example to MP3 with 64 kbit/s.",
  tooLong: `The recording is longer than ${LIMITS.longAudioSeconds / 3_600} hours. Split it.`,
  deleted: "This recording was imported before, and its meeting was deleted. It is not imported again.",
  conflict: "This recording was imported before, with other content.",
  invalid: "The file's name or time can't be those of a meeting. Rename the file, and upload it again.",
  owner: MESSAGES.ownerNotFound,
} as const;
export type TranscriptionFailureReason = keyof typeof TRANSCRIPTION_FAILURES;

/** An uploaded recording on its way to a meeting. */
export const Transcription = z
  .object({
    id: z.string().describe("The last part of the upload's address."),
    fileName: z.string().nullable().describe("Name of the file; null once its meeting has the title."),
    state: z
      .enum(["uploading", "queued", "transcribing", "summarizing", "completed", "failed"])
      .describe(
        "`queued` waits to be transcribed, for the first time or again, or while others have their turn. `summarizing`: the summary of its meeting is being written. `completed` and `failed` are kept for a week.",
      ),
    size: z.int().describe("Length of the file in bytes."),
    received: z.int().describe("Number of bytes that are uploaded."),
    parts: z
      .object({
        finished: z.int().describe("Number of parts that are transcribed."),
        total: z.int().describe("Number of all parts."),
      })
      .nullable()
      .describe(
        "Progress of a long recording; null for others, before its first part is transcribed, and at the end.",
      ),
    failure: z.string().nullable().describe("Why it failed, in a sentence; null unless it did."),
    meetingId: z
      .string()
      .nullable()
      .describe("The meeting; null before `summarizing`. It can be read when it is `completed`."),
    title: z
      .string()
      .nullable()
      .describe(
        "The meeting's title; null until there is a meeting, once it is deleted, and for a recorder, who reads no meetings.",
      ),
    createdAt: InstantOut.describe("When the upload began."),
    updatedAt: InstantOut.describe("When it last changed."),
  })
  .meta({ id: "Transcription", description: "An uploaded recording on its way to a meeting." });
export type Transcription = z.infer<typeof Transcription>;

export const TranscriptionList = z
  .object({
    transcriptions: z.array(Transcription).describe("Newest first."),
    refusal: z
      .string()
      .nullable()
      .describe("Why the server takes no uploads of audio, in a sentence; null if it does."),
  })
  .meta({ id: "TranscriptionList", description: "The caller's uploaded recordings." });
export type TranscriptionList = z.infer<typeof TranscriptionList>;

const OWN = { callers: ["user"] } as const;
const TranscriptionId = z.strictObject({ transcriptionId: Id.describe("The transcription's `id`.") });
const EXAMPLE = { transcriptionId: "trn_example" };
const UNKNOWN = createRefusal(404, MESSAGES.transcriptionNotFound);

export const listTranscriptions = query("transcriptions.list", {
  ...OWN,
  rest: { at: "GET /transcriptions", id: "listTranscriptions" },
  input: NoInput,
  output: TranscriptionList,
  summary: "List uploaded recordings",
  description: `The caller's latest ${LIMITS.transcriptionsListed} uploads of audio, also those that a recorder sent for them.`,
  example: {},
  refuses: [],
});

export const getTranscription = query("transcriptions.get", {
  ...OWN,
  rest: { at: "GET /transcriptions/{transcriptionId}", id: "getTranscription" },
  input: TranscriptionId,
  output: Transcription,
  summary: "Get an uploaded recording",
  description: "How far it is, why it failed, or its meeting.",
  example: EXAMPLE,
  refuses: [UNKNOWN],
});

/** An uploaded recording, for the recorder that sent it. */
export const getSentTranscription = query("transcriptions.get", {
  callers: ["recorder"],
  rest: { at: "GET /transcriptions/{transcriptionId}", id: "getSentTranscription" },
  input: TranscriptionId,
  output: Transcription,
  summary: "Get a recording that this key uploaded",
  description:
    "How far it is, why it failed, or the ID of its meeting. Only the ingest key that uploaded it can ask.",
  example: EXAMPLE,
  refuses: [UNKNOWN],
});

export const deleteTranscription = mutation("transcriptions.delete", {
  ...OWN,
  rest: { at: "DELETE /transcriptions/{transcriptionId}", id: "deleteTranscription" },
  input: TranscriptionId,
  output: Success,
  summary: "Cancel an uploaded recording",
  description:
    "Ends its upload or transcription, and deletes it with its audio. A meeting that it has become stays.",
  example: EXAMPLE,
  refuses: [UNKNOWN, createRefusal(409, MESSAGES.transcriptionStoring)],
});
