import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import { editMeeting, editTurn } from "./edit-meeting.js";
import { createTask, deleteTask, updateMeetingTask } from "./edit-task.js";
import { getVersion, listVersions } from "./list-versions.js";
import { restoreVersion } from "./restore-version.js";

/** Corrections of meetings that the caller owns, or of members' meetings, and their versions. */
export const meetingCorrections = {
  update: implement(contract.updateMeeting, ({ db, caller, input }) => editMeeting(db, caller, input)),
  updateTurn: implement(contract.updateTurn, ({ db, caller, input }) => editTurn(db, caller, input)),
  listVersions: implement(contract.listVersions, ({ db, caller, input }) =>
    listVersions(db, caller, input.meetingId),
  ),
  getVersion: implement(contract.getVersion, ({ db, caller, input }) => getVersion(db, caller, input)),
  updateTask: implement(contract.updateMeetingTask, ({ db, caller, input }) =>
    updateMeetingTask(db, caller, input),
  ),
  restoreVersion: implement(contract.restoreVersion, ({ db, caller, input }) =>
    restoreVersion(db, caller, input),
  ),
};

/** Corrections of the tasks of these meetings. */
export const taskCorrections = {
  create: implement(contract.createTask, ({ db, caller, input }) => createTask(db, caller, input)),
  delete: implement(contract.deleteTask, ({ db, caller, input }) => deleteTask(db, caller, input)),
};
