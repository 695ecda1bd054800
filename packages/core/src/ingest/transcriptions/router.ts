import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import {
  deleteTranscription,
  getTranscription,
  listTranscriptions,
  type NoAudio,
  transcribedFor,
  type UploadedAudio,
} from "./manage.js";

declare module "../../api/index.js" {
  interface Services {
    readonly uploadedAudio: UploadedAudio | NoAudio;
  }
}

/** The recordings that a recorder uploaded. */
export const sentTranscriptions = {
  get: implement(contract.getSentTranscription, ({ db, caller, input }) =>
    getTranscription(db, caller, input.transcriptionId),
  ),
};

/** A user's uploaded recordings. */
export const transcriptions = {
  list: implement(contract.listTranscriptions, ({ db, caller, services }) =>
    listTranscriptions(db, caller, services.uploadedAudio),
  ),
  get: implement(contract.getTranscription, ({ db, caller, input }) =>
    getTranscription(db, caller, input.transcriptionId),
  ),
  delete: implement(contract.deleteTranscription, ({ db, caller, services, input }) =>
    deleteTranscription(db, transcribedFor(caller), input.transcriptionId, services.uploadedAudio),
  ),
};
