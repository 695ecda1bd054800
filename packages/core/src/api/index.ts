export * from "./procedures.js";
