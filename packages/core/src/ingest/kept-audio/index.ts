export * from "./keep.js";
export * from "./play.js";
export { setKeptAudio } from "./settings.js";
export { compareAudio, createKeptFiles, type KeptAudioStore, openKept, removeUnreadable } from "./store.js";
