import { z } from "zod";
import { contentFields, ImportMeeting, startFields } from "./import.js";
import { InstantInput } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, query } from "./operation.js";
import { toInputSentence } from "./sentence.js";
import { boundedText, Email, Id, trimmedText } from "./text.js";
import { Vocabulary } from "./vocabulary.js";

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

const EXAMPLE = {
  externalId: "calendar-event-1",
  ownerEmail: "owner@example.com",
  title: "Weekly planning",
  startTime: "2026-01-15T09:30:00.000Z",
};
const END = { endTime: "2026-01-15T10:00:00.000Z" };
const RECORDING = { meetingId: "mtg_example" };
const NO_OWNER = createRefusal(404, MESSAGES.ownerNotFound);
const NO_RECORDING = createRefusal(404, MESSAGES.recordingNotFound);
const ENDED = createRefusal(409, MESSAGES.recordingEnded);
const DELETED = createRefusal(409, MESSAGES.deletedMeeting);
const RECORDER = { callers: ["recorder"] } as const;

export const startRecording = mutation("recordings.start", {
  ...RECORDER,
  rest: { at: "POST /recordings", id: "startRecording" },
  input: StartRecording,
  output: RecordingAnswer,
  summary: "Start a recording",
  description: "Announces a recording. The same `externalId` again returns the same recording.",
  example: EXAMPLE,
  refuses: [NO_OWNER, DELETED],
});

export const completeRecording = mutation("recordings.complete", {
  ...RECORDER,
  costly: true,
  input: CompleteRecording,
  output: RecordingAnswer,
  summary: "Complete a recording",
  description:
    "Adds the transcript and everything else. The meeting becomes visible. Repeat the call to poll its state.",
  example: { ...RECORDING, ...END },
  refuses: [NO_RECORDING, ENDED, createRefusal(409, MESSAGES.recordingExpired)],
});

/** `recordings.complete` over REST, where the path has the ID. */
export const completeRecordingById = mutation("recordings.complete", {
  ...completeRecording,
  rest: { at: "POST /recordings/{meetingId}/complete", id: "completeRecording" },
  input: CompleteRecordingById,
});

export const failRecording = mutation("recordings.fail", {
  ...RECORDER,
  input: FailRecording,
  output: RecordingAnswer,
  summary: "Fail a recording",
  description: "Ends a recording that produced nothing.",
  example: { ...RECORDING, reason: "The recording stopped." },
  refuses: [NO_RECORDING, ENDED],
});

/** `recordings.fail` over REST, where the path has the ID. */
export const failRecordingById = mutation("recordings.fail", {
  ...failRecording,
  rest: { at: "POST /recordings/{meetingId}/fail", id: "failRecording" },
  input: FailRecordingById,
});

export const importMeeting = mutation("meetings.import", {
  ...RECORDER,
  rest: { at: "POST /import", id: "importMeeting" },
  costly: true,
  input: ImportMeeting,
  output: RecordingAnswer,
  summary: "Import a meeting",
  description: "Stores a complete meeting. The same meeting again changes nothing.",
  example: { ...EXAMPLE, ...END },
  refuses: [NO_OWNER, createRefusal(409, MESSAGES.conflictingMeeting), DELETED],
});

export const importMeetings = mutation("meetings.importMany", {
  ...RECORDER,
  rest: { at: "POST /import/batch", id: "importMeetings", streams: true },
  input: ImportMany,
  output: RecordingAnswer,
  summary: "Import several meetings",
  description:
    "Answers with one line of JSON for each meeting, in order: that of a single import, or its `status` and `error`.",
  example: { meetings: [{ ...EXAMPLE, ...END }] },
  refuses: [],
});

export const getVocabulary = query("vocabulary.get", {
  ...RECORDER,
  rest: { at: "GET /recordings/vocabulary", id: "getVocabulary" },
  input: GetVocabulary,
  output: Vocabulary,
  summary: "Get a user's vocabulary",
  description: "Terms that speech recognition should know.",
  example: { ownerEmail: EXAMPLE.ownerEmail },
  refuses: [NO_OWNER],
});
