export { AudioFiles } from "./audio-files.js";
export * from "./cancel.js";
export { type AudioStore, releaseLeases, removeOrphans, type Uploader } from "./store.js";
export * from "./uploads.js";
export * from "./worker.js";
