export * from "./procedures.js";
export * from "./serve.js";
