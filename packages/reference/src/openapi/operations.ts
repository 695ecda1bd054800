import { splitRoute, takesBody, toOperationId } from "@minutes/contract";
import {
  listIngestProcedures,
  listManagementProcedures,
  listProcedures,
  listResources,
  listSyncProcedures,
  type Procedure,
  type ResourceProcedure,
  type Routes,
} from "../procedures.js";
import { getReferenceName, getSchemas, type JsonSchema, type Schemas } from "../schemas.js";
import { toAnswerContent, wrapExample } from "./examples.js";
import { quotaHeaders, toErrorResponses } from "./responses.js";

const wrapInput = (schema: JsonSchema) => ({
  type: "object",
  properties: { json: schema },
  required: ["json"],
  additionalProperties: false,
});

const wrapOutput = (payload: JsonSchema) => {
  const wrapIn = (name: string, schema: object) => ({
    type: "object",
    properties: { [name]: schema },
    required: [name],
  });
  return wrapIn("result", wrapIn("data", wrapIn("json", payload)));
};

/** Returns the function name for generated clients: `me/meetings.list` becomes `meMeetingsList`. */
const toFunctionName = ({ path }: Procedure<Routes>): string =>
  path.replace(/[/.](\w)/g, (_, letter: string) => letter.toUpperCase());

const TAGS = {
  me: "Personal key",
  workspace: "Workspace key",
  ingest: "Ingest",
  settings: "Settings",
} as const;

const toApiKeyScheme = (description: string) => ({
  type: "apiKey",
  in: "header",
  name: "x-api-key",
  description,
});

/** The two kinds of key. They share a header but have separate schemes, so a page can hold one key of each kind. */
const SCHEMES = {
  me: { name: "personalKey", scheme: toApiKeyScheme("A personal key; starts with `jk_`.") },
  workspace: { name: "workspaceKey", scheme: toApiKeyScheme("A workspace key; starts with `jk_`.") },
  ingest: { name: "ingestKey", scheme: toApiKeyScheme("An ingest credential; starts with `ik_`.") },
  settings: {
    name: "sessionToken",
    scheme: toBearerScheme("A token of `pnpm minutes login`; starts with `mst_`."),
  },
} as const;

function toBearerScheme(description: string) {
  return { type: "http", scheme: "bearer", description };
}

/** The same keys as bearer tokens, which REST accepts too. */
const BEARERS = {
  me: { name: "personalBearer", scheme: toBearerScheme("A personal key; starts with `jk_`.") },
  workspace: { name: "workspaceBearer", scheme: toBearerScheme("A workspace key; starts with `jk_`.") },
} as const;

const INGEST_BEARER = {
  name: "ingestBearer",
  scheme: toBearerScheme("An ingest key; starts with `ik_`."),
};

/** The security schemes of keys, by name. */
export const SECURITY_SCHEMES = Object.fromEntries(
  [...Object.values(SCHEMES), ...Object.values(BEARERS), INGEST_BEARER].map(({ name, scheme }) => [
    name,
    scheme,
  ]),
);

/** The tags of the route sets in tRPC's form, with the purpose of each. */
export const WIRE_TAGS = [
  {
    name: TAGS.me,
    description: "The key owner's own meetings and tasks, and those shared with the owner.",
  },
  { name: TAGS.workspace, description: "All meetings and tasks of the workspace's current members." },
  { name: TAGS.ingest, description: "Recorders and importers send meetings to a workspace." },
  {
    name: TAGS.settings,
    description: "A signed-in user manages their keys, webhooks, shares, tags, vocabulary and members.",
  },
];

/** Returns the component a schema refers to, or the schema itself if it is not a reference. */
const resolveSchema = (schema: JsonSchema, named: Schemas): JsonSchema =>
  named[getReferenceName(schema) ?? ""] ?? schema;

/** Who calls resources: the name of their tag, and how they authenticate. */
const RESOURCE_CALLERS = {
  me: { tag: TAGS.me, schemes: [SCHEMES.me.name, BEARERS.me.name] },
  workspace: { tag: TAGS.workspace, schemes: [SCHEMES.workspace.name, BEARERS.workspace.name] },
  ingest: { tag: "Ingest key", schemes: ["ingestKey", "ingestBearer"] },
  settings: { tag: "Session token", schemes: ["sessionToken"] },
} as const;

/** Tags of the resources of each kind of caller. */
export const RESOURCE_TAGS = Object.values(RESOURCE_CALLERS).map(({ tag }) => ({
  name: toResourceTag(tag),
  description: `REST with ${/^[AEIOU]/.test(tag) ? "an" : "a"} ${tag.toLowerCase()}: plain parameters and responses.`,
}));

function toResourceTag(name: string): string {
  return `REST: ${name.toLowerCase()}`;
}

const LINK = { Link: { $ref: "#/components/headers/Link" } };
const ETAG = { ETag: { $ref: "#/components/headers/ETag" } };
const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of an earlier response. If nothing has changed, you get 304 without a body.",
  schema: { type: "string" },
};

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Makes repeating safe: within 24 hours, the same key and body get the first response, without its secret.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** Builds the path items of all resources, by path. */
export function toResourcePathItems(named: Schemas): Record<string, Record<string, object>> {
  const items: Record<string, Record<string, object>> = {};
  for (const procedure of listResources()) {
    const { at, rest } = procedure;
    const { method } = splitRoute(rest);
    items[at] = { ...items[at], [method.toLowerCase()]: toResourceOperation(procedure, named) };
  }
  return items;
}

/** Builds an operation: parameters in the path and by name, a JSON object as body, the payload as answer. */
function toResourceOperation(procedure: ResourceProcedure, named: Schemas): Record<string, unknown> {
  const { method, path } = splitRoute(procedure.rest);
  const hasBody = takesBody(procedure.rest);
  const { input, output } = getSchemas(procedure, named);
  const resolved = resolveSchema(input, named);
  const { properties = {}, required = [] } = resolved;
  const isInPath = (name: string) => path.includes(`{${name}}`);
  const fields = Object.entries(properties);
  const inPath = fields
    .filter(([name]) => isInPath(name))
    .map((field) => toParameter(field, { in: "path", required: true }, procedure));
  const rest = fields.filter(([name]) => !isInPath(name));
  const isRedirect = procedure.rest.redirects !== undefined;
  const isSingle = method === "GET" && !isRedirect && inPath.length > 0 && !("cursor" in properties);
  const isRepeatable = method === "POST" && !procedure.rest.streams;
  const isStreamed = procedure.rest.streams === true;
  const requiredInBody = required.filter((name) => !isInPath(name));
  const body = {
    type: "object",
    properties: Object.fromEntries(rest),
    ...(requiredInBody.length > 0 ? { required: requiredInBody } : {}),
    additionalProperties: false,
    ...(method === "PATCH" ? { minProperties: 1 } : {}),
  };
  const example = Object.fromEntries(Object.entries(procedure.example).filter(([name]) => !isInPath(name)));
  const parameters = [
    ...inPath,
    ...(hasBody
      ? []
      : rest.map((field) =>
          toParameter(field, { in: "query", required: required.includes(field[0]) }, procedure),
        )),
    ...(isSingle ? [IF_NONE_MATCH] : []),
    ...(isRepeatable ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: toOperationId(procedure.rest, procedure.routes === "workspace" ? "workspace" : "user"),
    tags: [toResourceTag(RESOURCE_CALLERS[procedure.routes].tag)],
    summary: procedure.summary,
    description: procedure.description,
    ...(procedure.isAddition ? { "x-addition": true } : {}),
    security: RESOURCE_CALLERS[procedure.routes].schemes.map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody && rest.length > 0 ? { requestBody: toRequestBody(body, example) } : {}),
    responses: {
      [isRedirect ? "302" : "200"]: {
        description: isRedirect ? "Where it is, also in the header `Location`." : "Success.",
        headers: {
          ...quotaHeaders,
          ...(isSingle ? ETAG : {}),
          ...("cursor" in properties ? LINK : {}),
        },
        content: isStreamed
          ? { "application/jsonl": { schema: { type: "string" } } }
          : toAnswerContent(output, named, output),
      },
      ...(isRedirect ? { "200": toElsewhere(toAnswerContent(output, named, output)) } : {}),
      ...(isSingle ? { "304": { description: "Not modified.", headers: { ...quotaHeaders, ...ETAG } } } : {}),
      ...toErrorResponses(procedure, { hasBody, isRepeatable, isResource: true }),
    },
  };
}

/** Describes the answer about something at another host, to which a call with `x-api-key` is not redirected. */
const toElsewhere = (content: object) => ({
  description: "Where it is, at another host: a redirect would take the key there.",
  headers: quotaHeaders,
  content,
});

/** Describes a field in the path or the query. */
const toParameter = (
  [name, { description, ...schema }]: [string, JsonSchema],
  place: { readonly in: "path" | "query"; readonly required: boolean },
  { example }: ResourceProcedure,
) => ({
  ...(schema.type === "array" ? { style: "form", explode: false } : {}),
  name,
  ...place,
  description,
  schema,
  ...(name in example ? { example: example[name] } : {}),
});

/** Describes a JSON body. It can be absent if no field is required. */
const toRequestBody = (schema: JsonSchema & { readonly minProperties?: number }, example: object) => ({
  required: (schema.required ?? []).length > 0 || schema.minProperties !== undefined,
  content: { "application/json": { schema, example } },
});

/** Builds the path items of all procedures in tRPC's form, by path. */
export const toWirePathItems = (named: Schemas): Record<string, Record<string, object>> =>
  Object.fromEntries(
    [
      ...listProcedures().map((procedure) => [`/v1/${procedure.path}`, procedure] as const),
      ...listSyncProcedures().map((procedure) => [`/sync/v1/${procedure.path}`, procedure] as const),
      ...[...listIngestProcedures({ streams: true }), ...listManagementProcedures()].map(
        (procedure) => [`/${procedure.routes}/v1/${procedure.name}`, procedure] as const,
      ),
    ].map(([path, procedure]) => [path, toPathItem(procedure, named)]),
  );

/** Builds the path item of a procedure. @see docs/specification.md#common-request-and-response-format */
function toPathItem(procedure: Procedure<Routes>, named: Schemas): Record<string, object> {
  const { input, output } = getSchemas(procedure, named);
  const looked = resolveSchema(input, named);
  const required = (looked.required ?? []).length > 0;
  const takesNothing = Object.keys(looked.properties ?? {}).length === 0;
  const content = { "application/json": { schema: wrapInput(input), example: { json: procedure.example } } };
  const parameter = {
    name: "input",
    in: "query",
    required,
    description: 'URL-encoded JSON of the form `{"json": {…}}`. Omitted if there are no parameters.',
    content,
  };
  const operation = {
    operationId: toFunctionName(procedure),
    tags: [TAGS[procedure.routes]],
    summary: procedure.summary,
    description: procedure.description,
    ...(procedure.isAddition ? { "x-addition": true } : {}),
    security: [{ [SCHEMES[procedure.routes].name]: [] }],
    ...(procedure.write
      ? { requestBody: { required: true, content } }
      : takesNothing
        ? {}
        : { parameters: [parameter] }),
    responses: {
      "200": {
        description: "Success.",
        headers: quotaHeaders,
        content: toAnswerContent(output, named, wrapOutput(output), wrapExample),
      },
      ...toErrorResponses(procedure, { hasBody: procedure.write, isResource: false }),
    },
  };
  return { [procedure.write ? "post" : "get"]: operation };
}
