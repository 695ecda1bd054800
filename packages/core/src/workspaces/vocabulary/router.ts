import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { addTerm, listVocabulary, removeTerm } from "./vocabulary.js";

/** A user's own terms and their team's. */
export const vocabulary = {
  list: implement(contract.listVocabulary, ({ db, caller }) => listVocabulary(db, caller)),
  add: implement(contract.addTerm, ({ db, caller, input }) => addTerm(db, caller, input)),
  remove: implement(contract.removeTerm, ({ db, caller, input }) => removeTerm(db, caller, input)),
};
