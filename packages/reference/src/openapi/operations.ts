import type { Procedure } from "../procedures.js";
import { getReferenceName, getSchemas, type JsonSchema, type Schemas } from "../schemas.js";
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
const toOperationId = ({ path }: Procedure): string =>
  path.replace(/[/.](\w)/g, (_, letter: string) => letter.toUpperCase());

const TAGS = { me: "Personal key", workspace: "Workspace key" } as const;

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
} as const;

/** The security schemes of both kinds of key, by name. */
export const KEY_SECURITY_SCHEMES = Object.fromEntries(
  Object.values(SCHEMES).map(({ name, scheme }) => [name, scheme]),
);

/** The tags of `/v1`, with the purpose of each route set. */
export const V1_TAGS = [
  {
    name: TAGS.me,
    description: "The key owner's own meetings and tasks, and those shared with the owner.",
  },
  { name: TAGS.workspace, description: "All meetings and tasks of the workspace's current members." },
];

/** Returns the component a schema refers to, or the schema itself if it is not a reference. */
const resolveSchema = (schema: JsonSchema, named: Schemas): JsonSchema =>
  named[getReferenceName(schema) ?? ""] ?? schema;

/** Descriptions of the plain form of each route set. */
export const PLAIN_TAGS = Object.values(TAGS).map((name) => ({
  name: toPlainTag(name),
  description: `The same as “${name}”, with plain parameters and answers: for generators and no-code tools.`,
}));

function toPlainTag(name: string): string {
  return `Plain HTTP: ${name.toLowerCase()}`;
}

/**
 * Builds the path item of a procedure's plain form: parameters by name, a JSON object as body, the payload as answer.
 */
export function toPlainPathItem(procedure: Procedure, named: Schemas): Record<string, object> {
  const { input, output } = getSchemas(procedure, named);
  const { properties = {}, required = [] } = resolveSchema(input, named);
  const operation = {
    operationId: toOperationId(procedure).replace(/^./, (letter) => `plain${letter.toUpperCase()}`),
    tags: [toPlainTag(TAGS[procedure.routes])],
    summary: procedure.summary,
    description: procedure.description,
    ...(procedure.addition ? { "x-addition": true } : {}),
    security: [{ [SCHEMES[procedure.routes].name]: [] }],
    ...(procedure.write
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: input, example: procedure.example } },
          },
        }
      : {
          parameters: Object.entries(properties).map(([name, { description, ...schema }]) => ({
            name,
            in: "query",
            required: required.includes(name),
            description,
            schema,
          })),
        }),
    responses: {
      "200": {
        description: "Success.",
        headers: quotaHeaders,
        content: { "application/json": { schema: output } },
      },
      ...toErrorResponses(procedure),
    },
  };
  return { [procedure.write ? "post" : "get"]: operation };
}

/** Builds the path item of a procedure. @see docs/specification.md#common-request-and-response-format */
export function toPathItem(procedure: Procedure, named: Schemas): Record<string, object> {
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
    operationId: toOperationId(procedure),
    tags: [TAGS[procedure.routes]],
    summary: procedure.summary,
    description: procedure.description,
    ...(procedure.addition ? { "x-addition": true } : {}),
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
        content: { "application/json": { schema: wrapOutput(output) } },
      },
      ...toErrorResponses(procedure),
    },
  };
  return { [procedure.write ? "post" : "get"]: operation };
}
