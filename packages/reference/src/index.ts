export { type OpenApiDocument, openApiDocument } from "./openapi/document.js";
export { type Procedure, procedures, ROUTERS, type RouteSet } from "./procedures.js";
export { expandReferences, getSchemas, type JsonSchema, type Schemas } from "./schemas.js";
export { eventTypes } from "./typescript/events.js";
export { routerTypes } from "./typescript/routers.js";
