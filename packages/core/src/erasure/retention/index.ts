export { holdMeeting } from "./holds.js";
export { setRetentionRule } from "./rules.js";
export { runRetention } from "./run.js";
