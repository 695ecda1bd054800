export * from "./recipients.js";
export * from "./record-events.js";
