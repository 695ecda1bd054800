import {
  type BatchMeeting,
  GetVocabulary,
  type ImportMeeting,
  RecordingAnswer,
  Vocabulary,
} from "@minutes/contract";
import { JsonLines, largeInput } from "../api/index.js";
import { ApiError } from "../errors.js";
import { getRecorderVocabulary } from "../vocabulary/index.js";
import { completeRecording } from "./complete-recording.js";
import { failRecording } from "./fail-recording.js";
import { importRecording } from "./import-recording.js";
import { createIngestRouter, type IngestContext, ingestProcedure } from "./procedures.js";
import { startRecording } from "./start-recording.js";

/** Wakes the worker if the recording waits for its summary. */
const wakeIfProcessing = (ctx: IngestContext, answer: RecordingAnswer): RecordingAnswer => {
  if (answer.state === "processing") ctx.summaries.wake();
  return answer;
};

const importOne = async (ctx: IngestContext, meeting: ImportMeeting): Promise<RecordingAnswer> =>
  wakeIfProcessing(ctx, await importRecording(ctx.db, ctx.caller, meeting, ctx.summaries.enabled));

/** Imports one meeting of a batch. @throws ApiError 400 when it is not valid */
async function importFromBatch(ctx: IngestContext, checked: BatchMeeting): Promise<RecordingAnswer> {
  if ("refused" in checked) throw new ApiError("BAD_REQUEST", checked.refused);
  return importOne(ctx, checked.meeting);
}

/** The routes of recorders, `/ingest/v1/*`. */
export const ingestRouter = createIngestRouter({
  recordings: {
    start: ingestProcedure
      .input(largeInput("StartRecording"))
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => startRecording(ctx.db, ctx.caller, input)),
    complete: ingestProcedure
      .input(largeInput("CompleteRecording"))
      .output(RecordingAnswer)
      .mutation(async ({ ctx, input }) =>
        wakeIfProcessing(
          ctx,
          await completeRecording(ctx.db, ctx.caller, input, {
            summarised: ctx.summaries.enabled,
            recordingDays: ctx.recordingDays,
          }),
        ),
      ),
    fail: ingestProcedure
      .input(largeInput("FailRecording"))
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => failRecording(ctx.db, ctx.caller, input)),
  },
  meetings: {
    import: ingestProcedure
      .input(largeInput("ImportMeeting"))
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => importOne(ctx, input)),
    importMany: ingestProcedure
      .input(largeInput("ImportMany"))
      .mutation(
        ({ ctx, input }) =>
          new JsonLines(input.meetings.map((meeting) => () => importFromBatch(ctx, meeting))),
      ),
  },
  vocabulary: {
    get: ingestProcedure
      .input(GetVocabulary)
      .output(Vocabulary)
      .query(({ ctx, input }) => getRecorderVocabulary(ctx.db, ctx.caller, input.ownerEmail)),
  },
});
