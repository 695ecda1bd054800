export { createRunOnce, purgeIdempotencyKeys } from "./run-once.js";
