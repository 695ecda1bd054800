import { SettingsInput } from "@minutes/contract";
import { deleteUnfinishedRecording } from "../recordings/index.js";
import { managementProcedure, toSuccess } from "./procedures.js";

/** What can be done to a recording that is not completed. */
export const managedRecordings = {
  delete: managementProcedure
    .input(SettingsInput.recording)
    .mutation(({ ctx, input }) => toSuccess(deleteUnfinishedRecording(ctx.db, ctx.actor, input.recordingId))),
};
