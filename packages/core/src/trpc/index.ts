export { COMMON_HEADERS, errorBody } from "./answer.js";
export { Lines } from "./lines.js";
export * from "./procedures.js";
export * from "./serve.js";
