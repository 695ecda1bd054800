import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { deleteUnfinishedRecording, listOwnRecordings, listWorkspaceRecordings } from "./unfinished.js";

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
