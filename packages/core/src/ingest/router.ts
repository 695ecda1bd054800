import {
  CompleteRecording,
  FailRecording,
  GetVocabulary,
  ImportMany,
  MeetingImport,
  RecordingAnswer,
  StartRecording,
  toInputSentence,
  Vocabulary,
} from "@minutes/contract";
import { ApiError } from "../errors.js";
import { JsonLines } from "../trpc/index.js";
import { getRecorderVocabulary } from "../vocabulary/index.js";
import { completeRecording } from "./complete-recording.js";
import { importRecording } from "./import-recording.js";
import { createIngestRouter, type IngestContext, ingestProcedure } from "./procedures.js";
import { failRecording, startRecording } from "./recordings.js";

/** Wakes the worker when the recording waits for its summary. */
const wakeIfProcessing = (ctx: IngestContext, answer: RecordingAnswer): RecordingAnswer => {
  if (answer.state === "processing") ctx.summaries.wake();
  return answer;
};

const importOne = async (ctx: IngestContext, meeting: MeetingImport): Promise<RecordingAnswer> =>
  wakeIfProcessing(ctx, await importRecording(ctx.db, ctx.caller, meeting, ctx.summaries.enabled));

/** Validates and imports one meeting of a batch. @throws ApiError 400 */
function importFromBatch(ctx: IngestContext, meeting: unknown): Promise<RecordingAnswer> {
  const checked = MeetingImport.safeParse(meeting);
  if (!checked.success) throw new ApiError("BAD_REQUEST", toInputSentence(checked.error.issues));
  return importOne(ctx, checked.data);
}

/** The routes of recorders, `/ingest/v1/*`. */
export const ingestRouter = createIngestRouter({
  recordings: {
    start: ingestProcedure
      .input(StartRecording)
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => startRecording(ctx.db, ctx.caller, input)),
    complete: ingestProcedure
      .input(CompleteRecording)
      .output(RecordingAnswer)
      .mutation(async ({ ctx, input }) =>
        wakeIfProcessing(
          ctx,
          await completeRecording(ctx.db, ctx.caller, input, {
            summarised: ctx.summaries.enabled,
            expiryDays: ctx.recordingExpiryDays,
          }),
        ),
      ),
    fail: ingestProcedure
      .input(FailRecording)
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => failRecording(ctx.db, ctx.caller, input)),
  },
  meetings: {
    import: ingestProcedure
      .input(MeetingImport)
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => importOne(ctx, input)),
    importMany: ingestProcedure
      .input(ImportMany)
      .mutation(
        ({ ctx, input }) =>
          new JsonLines(input.meetings.map((meeting) => async () => importFromBatch(ctx, meeting))),
      ),
  },
  vocabulary: {
    get: ingestProcedure
      .input(GetVocabulary)
      .output(Vocabulary)
      .query(({ ctx, input }) => getRecorderVocabulary(ctx.db, ctx.caller, input.ownerEmail)),
  },
});
