import {
  type BatchMeeting,
  type CompleteRecording,
  GetVocabulary,
  type ImportMeeting,
  RecordingAnswer,
  Vocabulary,
} from "@minutes/contract";
import type { Database } from "@minutes/db";
import { type Deadline, endWith } from "@minutes/db";
import type { RecorderCaller } from "../access/index.js";
import { createProcedureBuilders, JsonLines, largeInput } from "../api/index.js";
import { ApiError } from "../lib/errors.js";
import { getRecorderVocabulary } from "../workspaces/vocabulary/index.js";
import { completeRecording } from "./complete-recording.js";
import { failRecording } from "./fail-recording.js";
import { importRecording } from "./import-meeting.js";
import { startRecording } from "./start-recording.js";

/** The queue of recordings that were completed without a summary. */
export interface SummaryQueue {
  /** False: there is no summariser, and such recordings stay without a summary. */
  readonly enabled: boolean;
  /** Tells the worker that a recording is waiting. */
  wake(): void;
}

/** Context of every procedure under `/ingest/v1`. */
export interface IngestContext {
  readonly db: Database;
  readonly caller: RecorderCaller;
  readonly summaries: SummaryQueue;
  /** Days after its start within which a recording can be completed. */
  readonly recordingDays: number;
}

/** Builds procedures for ingest credentials only. */
const { procedure: ingestProcedure, router: createIngestRouter } = createProcedureBuilders<IngestContext>();

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

const complete = async (ctx: IngestContext, input: CompleteRecording): Promise<RecordingAnswer> =>
  wakeIfProcessing(
    ctx,
    await completeRecording(ctx.db, ctx.caller, input, {
      summarised: ctx.summaries.enabled,
      recordingDays: ctx.recordingDays,
    }),
  );

const procedures = {
  recordings: {
    start: ingestProcedure
      .input(largeInput("StartRecording"))
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => startRecording(ctx.db, ctx.caller, input)),
    complete: ingestProcedure
      .input(largeInput("CompleteRecording"))
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => complete(ctx, input)),
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
          new JsonLines(
            input.meetings.map(
              (meeting) => (deadline: Deadline) =>
                importFromBatch({ ...ctx, db: endWith(deadline, ctx.db) }, meeting),
            ),
          ),
      ),
  },
  vocabulary: {
    get: ingestProcedure
      .input(GetVocabulary)
      .output(Vocabulary)
      .query(({ ctx, input }) => getRecorderVocabulary(ctx.db, ctx.caller, input.ownerEmail)),
  },
};

/** The routes of recorders, `/ingest/v1/*`. */
export const ingestRouter = createIngestRouter(procedures);
export type IngestRouter = typeof ingestRouter;

/** The resources of recorders, `/rest/v1/recordings` and `/rest/v1/import`. */
export const ingestResourceRouter = createIngestRouter({
  ...procedures,
  recordings: {
    start: procedures.recordings.start,
    complete: ingestProcedure
      .input(largeInput("CompleteRecordingById"))
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => complete(ctx, input)),
    fail: ingestProcedure
      .input(largeInput("FailRecordingById"))
      .output(RecordingAnswer)
      .mutation(({ ctx, input }) => failRecording(ctx.db, ctx.caller, input)),
  },
});
