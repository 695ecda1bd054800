export * from "./heartbeat.js";
export * from "./lease.js";
export * from "./loop.js";
