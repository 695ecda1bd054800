import { z } from "zod";
import type { Procedure } from "./procedures.js";

/** The part of JSON Schema 2020-12 that the contract's schemas come to. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Schemas by the `id` in their metadata. */
export type Schemas = Record<string, JsonSchema>;

const DEFINITION = "#/$defs/";

/** Where a named schema is kept in an OpenAPI document. */
const COMPONENT = "#/components/schemas/";

/** Returns the name in a reference to a named schema, or undefined. */
export const getReferenceName = (schema: JsonSchema): string | undefined =>
  schema.$ref?.startsWith(COMPONENT) ? schema.$ref.slice(COMPONENT.length) : undefined;

/**
 * Turns a schema into JSON Schema, as what a caller sends (`input`: defaults may be left out) or receives
 * (`output`). Schemas with an `id` are put into `named` and referred to.
 */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output", named: Schemas): JsonSchema {
  const { $schema, ...root } = z.toJSONSchema(schema, {
    io,
    // What only code can check is described by its text, not by the schema.
    unrepresentable: "any",
    override: ({ jsonSchema: made }) => {
      // Answers may gain fields within v1: a reader that refuses unknown ones would break by it.
      if (io === "output" && made.additionalProperties === false) delete made.additionalProperties;
    },
  }) as JsonSchema & { $schema?: string; $defs?: Schemas; id?: string };
  const { $defs = {}, id, ...body } = moveReferences(root);
  for (const [name, definition] of Object.entries($defs)) addSchema(named, name, definition);
  if (id === undefined) return body;
  addSchema(named, id, body);
  return { $ref: COMPONENT + id };
}

function addSchema(named: Schemas, name: string, schema: JsonSchema & { id?: string }): void {
  const { id: _, ...body } = schema;
  const kept = named[name];
  if (kept && JSON.stringify(kept) !== JSON.stringify(body)) {
    throw new Error(`Two different schemas are called ${name}.`);
  }
  named[name] = body;
}

/** Returns the same schema with its references pointing to an OpenAPI document's components. */
const moveReferences = <T>(schema: T): T =>
  JSON.parse(JSON.stringify(schema).replaceAll(`"$ref":"${DEFINITION}`, `"$ref":"${COMPONENT}`)) as T;

/** Returns the schemas of the input and output of a procedure. */
export const getSchemas = (
  procedure: Procedure,
  named: Schemas,
): { input: JsonSchema; output: JsonSchema } => ({
  input: toJsonSchema(procedure.input, "input", named),
  output: toJsonSchema(procedure.output, "output", named),
});

/** Replaces every reference of a schema by what it refers to, for readers that take one schema at a time. */
export function expandReferences(schema: JsonSchema, named: Schemas): JsonSchema {
  const expand = (at: unknown): unknown => {
    if (Array.isArray(at)) return at.map(expand);
    if (typeof at !== "object" || at === null) return at;
    const name = getReferenceName(at as JsonSchema);
    if (name === undefined) {
      return Object.fromEntries(Object.entries(at).map(([key, value]) => [key, expand(value)]));
    }
    const { $ref: _, ...beside } = at as JsonSchema;
    return { ...(expand(named[name]) as JsonSchema), ...beside };
  };
  return expand(schema) as JsonSchema;
}
