export { BodyBudget } from "./body-budget.js";
export { createProcedureBuilders } from "./builders.js";
export { JsonLines } from "./json-lines.js";
export { PLAIN_WIRE } from "./plain.js";
export { readJsonBody } from "./request.js";
export { getRequestId, REQUEST_ID_HEADER } from "./request-id.js";
export { COMMON_HEADERS, createDeadline, sendResponse, toErrorBody } from "./response.js";
export * from "./serve.js";
