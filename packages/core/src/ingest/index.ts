export * from "./complete-recording.js";
export { findImported, type ImportedRecording } from "./find-recording.js";
export * from "./import-meeting.js";
export { expireAudio } from "./kept-audio/store.js";
export { listKnownNames } from "./known-names.js";
export * from "./processing.js";
export * from "./start-recording.js";
export * from "./summariser.js";
export * from "./transcriber.js";
