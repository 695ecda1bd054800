import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { getPerson, listPeople } from "./list-people.js";
import { mergePeople, unmergePerson, updatePerson } from "./merge.js";

/** The directory of people: those of meetings that the caller can read. */
export const people = {
  list: implement(contract.listPeople, ({ db, caller, input }) => listPeople(db, caller, input)),
  get: implement(contract.getPerson, ({ db, caller, input }) => getPerson(db, caller, input.personId)),
  update: implement(contract.updatePerson, ({ db, caller, input }) => updatePerson(db, caller, input)),
  merge: implement(contract.mergePeople, ({ db, caller, input }) => mergePeople(db, caller, input)),
  unmerge: implement(contract.unmergePerson, ({ db, caller, input }) => unmergePerson(db, caller, input)),
};
