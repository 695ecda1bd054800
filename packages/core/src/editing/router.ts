import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import { editMeeting, editTurn } from "./edit-meeting.js";
import { addTask, deleteTask, editTask } from "./edit-task.js";
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
  restoreVersion: implement(contract.restoreVersion, ({ db, caller, input }) =>
    restoreVersion(db, caller, input),
  ),
};

/** Corrections of the tasks of these meetings. */
export const taskCorrections = {
  add: implement(contract.addTask, ({ db, caller, input }) => addTask(db, caller, input)),
  edit: implement(contract.editTask, ({ db, caller, input }) => editTask(db, caller, input)),
  delete: implement(contract.deleteTask, ({ db, caller, input }) => deleteTask(db, caller, input)),
};
