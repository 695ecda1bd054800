export * from "./notify-workers.js";
export * from "./recipients.js";
export * from "./record-events.js";
