export { createRunOnce, purgeIdempotencyKeys, type RepeatableCall, type RunOnce } from "./run-once.js";
