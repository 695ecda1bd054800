export * from "./list.js";
export * from "./networks.js";
export * from "./purge.js";
