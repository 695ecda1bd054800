export * from "./expiry.js";
export { eraseRecording } from "./unfinished.js";
