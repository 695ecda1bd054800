import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { getKeptAudio, setKeptAudio } from "./settings.js";

/** How long a workspace keeps the audio of its meetings. */
export const keptAudio = {
  get: implement(contract.getKeptAudio, ({ db, caller }) => getKeptAudio(db, caller)),
  set: implement(contract.setKeptAudio, ({ db, caller, input }) => setKeptAudio(db, caller, input.days)),
};
