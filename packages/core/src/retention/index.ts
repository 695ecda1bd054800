export * from "./holds.js";
export * from "./rules.js";
export { runRetention } from "./run.js";
