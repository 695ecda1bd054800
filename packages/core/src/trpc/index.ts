export { BodyBudget } from "./body-budget.js";
export { createBuilders } from "./builders.js";
export { JsonLines } from "./json-lines.js";
export { readBody } from "./request.js";
export { COMMON_HEADERS, createDeadline, errorBody } from "./response.js";
export * from "./serve.js";
