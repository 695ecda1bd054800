export { AudioFiles, type AudioLength, type AudioReader } from "./audio-files.js";
export { deleteTranscription, type NoAudio, type UploadedAudio } from "./manage.js";
export { type AudioStore, releaseLeases, removeOrphans, type Uploader, uploadedBy } from "./store.js";
export type { StoredRecording } from "./stored-recording.js";
export * from "./uploads.js";
export * from "./worker.js";
