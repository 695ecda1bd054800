export { buildOpenApiDocument, type OpenApiDocument } from "./openapi/document.js";
export {
  listPeopleProcedures,
  listProcedures,
  listResources,
  listSyncProcedures,
  type Procedure,
  type RouteSet,
} from "./procedures.js";
export { expandReferences, type JsonSchema, type Schemas, toJsonSchema } from "./schemas.js";
export { writeEventTypes, writeRouterTypes } from "./typescript/routers.js";
