export * from "./heartbeat.js";
export * from "./hourly.js";
export * from "./lease.js";
export * from "./loop.js";
export * from "./run-in-batches.js";
