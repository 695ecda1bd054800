import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import { toEditor } from "./correct.js";
import { editMeeting, editTurn } from "./edit-meeting.js";
import { addTask, deleteTask, editTask } from "./edit-task.js";
import { getVersion, listVersions } from "./list-versions.js";
import { restoreVersion } from "./restore-version.js";

/** Corrections of meetings that the caller owns, or of members' meetings, and their versions. */
export const meetingCorrections = {
  edit: implement(contract.updateMeeting, ({ db, caller, input }) =>
    editMeeting(db, toEditor(caller), input),
  ),
  editTurn: implement(contract.updateTurn, ({ db, caller, input }) => editTurn(db, toEditor(caller), input)),
  versions: implement(contract.listVersions, ({ db, caller, input }) =>
    listVersions(db, toEditor(caller), input.meetingId),
  ),
  version: implement(contract.getVersion, ({ db, caller, input }) => getVersion(db, toEditor(caller), input)),
  restoreVersion: implement(contract.restoreVersion, ({ db, caller, input }) =>
    restoreVersion(db, toEditor(caller), input),
  ),
};

/** Corrections of the tasks of these meetings. */
export const taskCorrections = {
  add: implement(contract.addTask, ({ db, caller, input }) => addTask(db, toEditor(caller), input)),
  edit: implement(contract.editTask, ({ db, caller, input }) => editTask(db, toEditor(caller), input)),
  delete: implement(contract.deleteTask, ({ db, caller, input }) => deleteTask(db, toEditor(caller), input)),
};
