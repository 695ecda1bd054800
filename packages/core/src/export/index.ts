export * from "./export.js";
export * from "./restore.js";
