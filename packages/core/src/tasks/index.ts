export * from "./list.js";
export * from "./update.js";
