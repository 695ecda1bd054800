export * from "./announce.js";
export * from "./notify-workers.js";
export * from "./recipients.js";
