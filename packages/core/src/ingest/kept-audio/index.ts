export * from "./keep.js";
export * from "./play.js";
export { setKeptAudio } from "./settings.js";
export { compareAudio, type KeptAudioStore, openKept, removeSilenced } from "./store.js";
