import { MESSAGES } from "./messages.js";

/** Why an uploaded recording did not become a meeting, in words. */
export const TRANSCRIPTION_FAILURES = {
  silent: "The transcriber heard no speech in the recording.",
  refused:
    "The transcriber does not take this recording. Check that it plays, and compress it, for example to MP3 with 64 kbit/s.",
  unavailable:
    "The transcriber could not be reached, or failed, several times. Ask the operator, then upload the recording again.",
  damaged: "The stored recording can't be read anymore. Upload it again.",
  deleted: "This recording was imported before, and its meeting was deleted. It is not imported again.",
  conflict: "This recording was imported before, with other content.",
  invalid: "The file's name or time can't be those of a meeting. Rename the file, and upload it again.",
  owner: MESSAGES.ownerNotFound,
} as const;
export type TranscriptionFailureReason = keyof typeof TRANSCRIPTION_FAILURES;
