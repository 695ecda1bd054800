import { z } from "zod";
import { contentFields, ImportMeeting, startFields } from "./import.js";
import { InstantInput } from "./instants.js";
import { LIMITS } from "./limits.js";
import { toInputSentence } from "./sentence.js";
import { boundedText, Email, Id, trimmedText } from "./text.js";

/** Parameters of `recordings.start`. */
export const StartRecording = z.strictObject(startFields);
export type StartRecording = z.output<typeof StartRecording>;

const recordingId = Id.describe("The `meetingId` returned by `recordings.start`.");

/** Identifies a recording by its `meetingId` or by the recorder's `externalId`. */
const recordingRef = {
  meetingId: recordingId.optional(),
  externalId: boundedText(1, LIMITS.externalIdMax)
    .optional()
    .describe("The recorder's own id, as an alternative to `meetingId`."),
};
const onlyOne = {
  check: (ref: { meetingId?: string | undefined; externalId?: string | undefined }) =>
    (ref.meetingId === undefined) !== (ref.externalId === undefined),
  message: "Exactly one of meetingId and externalId is required.",
};

/** Parameters of `recordings.complete`. */
export const CompleteRecording = z
  .strictObject({
    ...recordingRef,
    endTime: InstantInput.describe("When the recording ended."),
    ...contentFields,
  })
  .refine(onlyOne.check, onlyOne.message);
export type CompleteRecording = z.output<typeof CompleteRecording>;

/** Parameters of `POST /recordings/{meetingId}/complete`. */
export const CompleteRecordingById = z.strictObject({
  meetingId: recordingId,
  endTime: CompleteRecording.shape.endTime,
  ...contentFields,
});

/** Parameters of `recordings.fail`. */
export const FailRecording = z
  .strictObject({
    ...recordingRef,
    reason: trimmedText(1, LIMITS.failureReasonMax).describe("The reason, for troubleshooting."),
  })
  .refine(onlyOne.check, onlyOne.message);
export type FailRecording = z.output<typeof FailRecording>;

/** Parameters of `POST /recordings/{meetingId}/fail`. */
export const FailRecordingById = z.strictObject({
  meetingId: recordingId,
  reason: FailRecording.shape.reason,
});

/** Names of fields that were accepted but not stored, such as `tags.color`. */
export const NotStored = z
  .array(z.string())
  .describe(
    "Fields that were accepted but not stored, such as `tags.color`. Absent if everything was stored.",
  );

/** The answer of every ingest write. */
export const RecordingAnswer = z.object({
  meetingId: z.string().describe("The meeting's `id` on `/v1` once it is completed."),
  externalId: z.string().nullable().describe("The recorder's own id."),
  state: z
    .enum(["recording", "processing", "completed", "failed"])
    .describe("Current state of the recording. Repeat the call to poll it."),
  notStored: NotStored.optional(),
});
export type RecordingAnswer = z.infer<typeof RecordingAnswer>;

/** A validated meeting of a batch, or the sentence that refuses it. */
export type BatchMeeting = { readonly meeting: ImportMeeting } | { readonly refused: string };

const BatchMeeting = z.unknown().transform((sent): BatchMeeting => {
  const { success, data, error } = ImportMeeting.safeParse(sent);
  return success ? { meeting: data } : { refused: toInputSentence(error.issues) };
});

/** Parameters of `meetings.importMany`. Each meeting is validated and answered on its own. */
export const ImportMany = z.strictObject({
  meetings: z
    .array(BatchMeeting, `must be a list of 1 to ${LIMITS.importBatch} meetings`)
    .min(1)
    .max(LIMITS.importBatch)
    .describe("Meetings in the format of `meetings.import`."),
});

/** Parameters of `vocabulary.get`. */
export const GetVocabulary = z.strictObject({
  ownerEmail: Email.describe("E-mail address of the user who is being recorded."),
});
