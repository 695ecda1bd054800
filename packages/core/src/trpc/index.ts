export * from "./procedures.js";
export { readBody } from "./request.js";
export * from "./serve.js";
