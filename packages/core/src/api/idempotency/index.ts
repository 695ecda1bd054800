export { createRunOnce, type RepeatableCall, type RunOnce } from "./run-once.js";
