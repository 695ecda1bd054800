import { NoInput, RecordingRef } from "@minutes/contract";
import { deleteUnfinishedRecording, listUnfinishedRecordings } from "../ingest/recordings/index.js";
import { managementProcedure, settingsProcedure, toSuccess } from "./procedures.js";

/** Procedures for unfinished recordings. */
export const recordingManagementProcedures = {
  delete: managementProcedure
    .input(RecordingRef)
    .mutation(({ ctx, input }) => toSuccess(deleteUnfinishedRecording(ctx.db, ctx.actor, input.recordingId))),
};

/** Unfinished recordings. */
export const recordings = {
  ...recordingManagementProcedures,
  /** The caller's unfinished recordings. */
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    recordings: await listUnfinishedRecordings(ctx.db, ctx.actor, { userId: ctx.user.userId }),
  })),
  /** Unfinished recordings of all members of the workspace, for its admins. */
  listWorkspace: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    recordings: await listUnfinishedRecordings(ctx.db, ctx.actor, { workspaceId: ctx.user.workspaceId }),
  })),
};
