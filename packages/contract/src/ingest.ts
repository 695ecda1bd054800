import { z } from "zod";
import { contentFields, startFields } from "./import.js";
import { InstantInput } from "./instants.js";
import { LIMITS } from "./limits.js";
import { boundedText, Email, Id, trimmedText } from "./text.js";

/** Parameters of `recordings.start`. */
export const StartRecording = z.strictObject(startFields);
export type StartRecording = z.output<typeof StartRecording>;

/** Identifies a recording by its `meetingId` or by the recorder's `externalId`. */
const recordingRef = {
  meetingId: Id.optional().describe("What `recordings.start` answered with."),
  externalId: boundedText(1, LIMITS.externalIdMax).optional().describe("The recorder's own id, instead."),
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

/** Parameters of `recordings.fail`. */
export const FailRecording = z
  .strictObject({
    ...recordingRef,
    reason: trimmedText(1, LIMITS.failureReasonMax).describe("Why, for whoever looks into it."),
  })
  .refine(onlyOne.check, onlyOne.message);
export type FailRecording = z.output<typeof FailRecording>;

/** Answer of every ingest write. */
export const RecordingAnswer = z.object({
  meetingId: z.string().describe("The meeting's `id` on `/v1`, once it is completed."),
  externalId: z.string().nullable().describe("The recorder's own id."),
  state: z
    .enum(["recording", "processing", "completed", "failed"])
    .describe("How far it is now; a repeated call asks for it."),
});
export type RecordingAnswer = z.infer<typeof RecordingAnswer>;

/** Parameters of `meetings.importMany`. Each meeting is validated and answered separately. */
export const ImportMany = z.strictObject({
  meetings: z
    .array(z.unknown(), `must be a list of 1 to ${LIMITS.importBatch} meetings`)
    .min(1)
    .max(LIMITS.importBatch)
    .describe("Whole meetings, as `meetings.import` takes one."),
});

/** Parameters of `vocabulary.get`. */
export const GetVocabulary = z.strictObject({ ownerEmail: Email.describe("Who is recorded.") });
