export { BodyBudget } from "./body-budget.js";
export * from "./handler.js";
export { JsonLines } from "./json-lines.js";
export { largeInput } from "./large-inputs.js";
export * from "./procedures.js";
export { decodeBody, readJsonBody } from "./request.js";
export { getRequestId, REQUEST_ID_HEADER } from "./request-id.js";
export { COMMON_HEADERS, createDeadline, sendResponse, toErrorBody } from "./response.js";
export { REST_CODEC } from "./rest-codec.js";
