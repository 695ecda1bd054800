import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { getRecording } from "./play.js";
import { getKeptAudio, setKeptAudio } from "./settings.js";
import type { KeptAudioStore } from "./store.js";

declare module "../../api/index.js" {
  interface Services {
    /** Null: this process has no audio. */
    readonly keptAudio: KeptAudioStore | null;
  }
}

/** Where the audio of a meeting is heard. */
export const meetingRecording = {
  recording: implement(contract.getMeetingRecording, ({ db, caller, services, input }) =>
    getRecording(db, services.keptAudio, caller, input.meetingId),
  ),
};

/** How long a workspace keeps the audio of its meetings. */
export const keptAudio = {
  get: implement(contract.getKeptAudio, ({ db, caller }) => getKeptAudio(db, caller)),
  set: implement(contract.setKeptAudio, ({ db, caller, input }) => setKeptAudio(db, caller, input.days)),
};
