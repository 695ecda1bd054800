export * from "./created.js";
