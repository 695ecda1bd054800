import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import { editMeeting, editTurn } from "./edit-meeting.js";
import { createTask, deleteTask, updateMeetingTask } from "./edit-task.js";
import { getVersion, listVersions } from "./list-versions.js";
import { restoreVersion } from "./restore-version.js";
import { confirmPerson } from "./speakers/confirm-person.js";
import { assignSpeaker, mergeSpeakers, splitSpeaker } from "./speakers/edit-speakers.js";
import { listSpeakers } from "./speakers/list-speakers.js";

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

/** The speakers of meetings that the caller can read, and changes of those in meetings that they can edit. */
export const speakers = {
  list: implement(contract.listSpeakers, ({ db, caller, input }) =>
    listSpeakers(db, caller, input.meetingId),
  ),
  assign: implement(contract.assignSpeaker, ({ db, caller, input }) => assignSpeaker(db, caller, input)),
  merge: implement(contract.mergeSpeakers, ({ db, caller, input }) => mergeSpeakers(db, caller, input)),
  split: implement(contract.splitSpeaker, ({ db, caller, input }) => splitSpeaker(db, caller, input)),
};

/** Changes of people that are edits of their meetings. */
export const peopleCorrections = {
  confirm: implement(contract.confirmPerson, ({ db, caller, input }) => confirmPerson(db, caller, input)),
};
