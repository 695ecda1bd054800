import { pickReferenced, type Schemas } from "../schemas.js";
import {
  RESOURCE_TAGS,
  SECURITY_SCHEMES,
  toResourcePathItems,
  toWirePathItems,
  WIRE_TAGS,
} from "./operations.js";
import { ERROR_SCHEMA, HEADERS } from "./responses.js";
import { toWebhookItems } from "./webhooks.js";

const DESCRIPTION = `Recorded meetings over HTTP and JSON: list, read, search and delete meetings, list and update
their tasks, list tags.

- **Two forms**: \`/rest/v1\` has resources with plain parameters and responses; \`/v1\` has the same procedures for tRPC
  clients. Keys, rights, errors and quota are the same. The next three points describe \`/v1\`.
- **Reads** use \`GET\` and take their parameters as URL-encoded JSON in the query parameter \`input\`,
  \`{"json": {…}}\`. Omit \`input\` if there are no parameters.
- **Writes** use \`POST\` with the body \`{"json": {…}}\`.
- **Answers** are \`{"result": {"data": {"json": …}}}\`, **errors** \`{"error": "<message>"}\`.
- **Lists** are paged: pass \`nextCursor\` as \`cursor\` until it is null.
- **Copies** are kept up to date with \`changes.list\` below \`/sync/v1\`: everything first, then changes.
- **Keys** of both kinds start with \`jk_\` and are sent in the header \`x-api-key\`, or to \`/rest/v1\` as a
  bearer token; each kind has its own routes.
- **Rate limit**: 100 requests a minute by default, per user for personal keys and per workspace for
  workspace keys.`;

/** An OpenAPI 3.1 document, as plain JSON. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Schemas };
}

/** Builds the document of `/v1`, the change feed, ingest and settings from the declarations. */
export function buildOpenApiDocument(): OpenApiDocument {
  const schemas: Schemas = { Error: ERROR_SCHEMA };
  const paths = { ...toResourcePathItems(schemas), ...toWirePathItems(schemas) };
  const webhooks = toWebhookItems(schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Minutes",
      version: "1.0.0",
      summary: "The open meeting data service",
      description: DESCRIPTION,
      contact: { name: "The Minutes maintainers" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...RESOURCE_TAGS, ...WIRE_TAGS],
    paths,
    webhooks,
    components: {
      // Parameters of a GET are written out, so the names of some inputs are used only by the client's types.
      schemas: pickReferenced({ paths, webhooks }, schemas),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  } as OpenApiDocument;
}
