import {
  CompleteRecording,
  FailRecording,
  GetVocabulary,
  ImportMany,
  inputSentence,
  MeetingImport,
  RecordingAnswer,
  StartRecording,
  Vocabulary,
} from "@minutes/contract";
import { ApiError } from "../errors.js";
import { JsonLines } from "../trpc/index.js";
import { vocabularyFor } from "../vocabulary/index.js";
import { completeRecording } from "./complete-recording.js";
import { importRecorded } from "./import-recorded.js";
import { createIngestRouter, type IngestContext, ingestProcedure } from "./procedures.js";
import { failRecording, startRecording } from "./recordings.js";

/** Lets the worker know when something waits for it. */
const woken = (ctx: IngestContext, answer: RecordingAnswer): RecordingAnswer => {
  if (answer.state === "processing") ctx.summaries.wake();
  return answer;
};

const importOne = async (ctx: IngestContext, meeting: MeetingImport): Promise<RecordingAnswer> =>
  woken(ctx, await importRecorded(ctx.db, ctx.caller, meeting, ctx.summaries.enabled));

/** One of a batch, checked for itself. */
function importUnchecked(ctx: IngestContext, meeting: unknown): Promise<RecordingAnswer> {
  const checked = MeetingImport.safeParse(meeting);
  if (!checked.success) throw new ApiError("BAD_REQUEST", inputSentence(checked.error.issues));
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
        woken(ctx, await completeRecording(ctx.db, ctx.caller, input, ctx.summaries.enabled)),
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
          new JsonLines(input.meetings.map((meeting) => async () => importUnchecked(ctx, meeting))),
      ),
  },
  vocabulary: {
    get: ingestProcedure
      .input(GetVocabulary)
      .output(Vocabulary)
      .query(({ ctx, input }) => vocabularyFor(ctx.db, ctx.caller, input.ownerEmail)),
  },
});
