export { COMMON_HEADERS, deadline, errorBody } from "./answer.js";
export { BodyBudget } from "./body-budget.js";
export { Lines } from "./lines.js";
export * from "./procedures.js";
export { readBody } from "./request.js";
export * from "./serve.js";
