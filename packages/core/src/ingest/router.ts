import * as contract from "@minutes/contract";
import { createRouter, implement, implementStream, JsonLines } from "../api/index.js";
import { getRecorderVocabulary } from "../workspaces/vocabulary/index.js";
import { completeRecording } from "./complete-recording.js";
import { failRecording } from "./fail-recording.js";
import { importRecording, listImports } from "./import-meeting.js";
import type { SummaryQueue } from "./processing.js";
import { requestSummary } from "./request-summary.js";
import { startRecording } from "./start-recording.js";
import { sentTranscriptions } from "./transcriptions/router.js";
import { deleteUnfinishedRecording, listOwnRecordings, listWorkspaceRecordings } from "./unfinished.js";

declare module "../api/index.js" {
  interface Services {
    readonly summaries: SummaryQueue;
    /** Days after its start within which a recording can be completed. */
    readonly recordingDays: number;
  }
}

const resources = {
  meetings: {
    import: implement(contract.importMeeting, ({ db, caller, services, input }) =>
      importRecording(db, caller, input, services.summaries),
    ),
    importMany: implementStream(
      contract.importMeetings,
      ({ db, caller, services, input }) =>
        new JsonLines(listImports(db, caller, input.meetings, services.summaries)),
    ),
  },
  transcriptions: sentTranscriptions,
  vocabulary: {
    get: implement(contract.getVocabulary, ({ db, caller, input }) =>
      getRecorderVocabulary(db, caller, input.ownerEmail),
    ),
  },
};

/** The summary of a meeting, written again. */
export const meetingSummary = {
  summarize: implement(contract.summarizeMeeting, ({ db, caller, services, input }) =>
    requestSummary(db, caller, services.summaries, input),
  ),
};

const start = implement(contract.startRecording, ({ db, caller, input }) =>
  startRecording(db, caller, input),
);

/** The routes of recorders, `/ingest/v1/*`. */
export const ingestRouter = createRouter({
  recordings: {
    start,
    complete: implement(contract.completeRecording, ({ db, caller, services, input }) =>
      completeRecording(db, caller, input, services),
    ),
    fail: implement(contract.failRecording, ({ db, caller, input }) => failRecording(db, caller, input)),
  },
  ...resources,
});
export type IngestRouter = typeof ingestRouter;

/** The resources of recorders, such as `/rest/v1/recordings` and `/rest/v1/import`, where the path names the recording. */
export const ingestResourceRouter = createRouter({
  recordings: {
    start,
    complete: implement(contract.completeRecordingById, ({ db, caller, services, input }) =>
      completeRecording(db, caller, input, services),
    ),
    fail: implement(contract.failRecordingById, ({ db, caller, input }) => failRecording(db, caller, input)),
  },
  ...resources,
});

/** Unfinished recordings, for their owner and the workspace's admins. */
export const recordings = {
  list: implement(contract.listRecordings, ({ db, caller }) => listOwnRecordings(db, caller)),
  listWorkspace: implement(contract.listWorkspaceRecordings, ({ db, caller }) =>
    listWorkspaceRecordings(db, caller),
  ),
  delete: implement(contract.deleteRecording, ({ db, caller, input }) =>
    deleteUnfinishedRecording(db, caller, input.recordingId),
  ),
};
