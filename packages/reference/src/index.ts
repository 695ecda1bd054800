export { type OpenApiDocument, openApiDocument } from "./openapi/document.js";
export { type Procedure, procedures, ROUTERS, type RouteSet } from "./procedures.js";
export { type JsonSchema, type Schemas, schemasOf, standalone } from "./schemas.js";
export { eventTypes } from "./typescript/events.js";
export { routerTypes } from "./typescript/routers.js";
