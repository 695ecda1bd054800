import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { confirmPerson } from "./confirm-person.js";
import { assignSpeaker, mergeSpeakers, splitSpeaker } from "./edit-speakers.js";
import { listSpeakers } from "./list-speakers.js";

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
