import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { mergeAs, openDirectory, unmergeAs, updateAs } from "./access.js";
import { getPerson, listPeople } from "./list-people.js";

/** The directory of people: those of meetings that the caller can read. */
export const people = {
  list: implement(contract.listPeople, async ({ db, caller, input }) =>
    listPeople(db, await openDirectory(db, caller), input),
  ),
  get: implement(contract.getPerson, async ({ db, caller, input }) =>
    getPerson(db, await openDirectory(db, caller), input.personId),
  ),
  update: implement(contract.updatePerson, ({ db, caller, input }) => updateAs(db, caller, input)),
  merge: implement(contract.mergePeople, ({ db, caller, input }) => mergeAs(db, caller, input)),
  unmerge: implement(contract.unmergePerson, ({ db, caller, input }) => unmergeAs(db, caller, input)),
};
