export * from "./networks.js";
export * from "./purge.js";
