export * from "./list.js";
export * from "./purge.js";
