import { z } from "zod";
import type { Procedure } from "./procedures.js";

/** The subset of JSON Schema 2020-12 that the contract's schemas produce. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
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

/** Where an OpenAPI document stores named schemas. */
const COMPONENT = "#/components/schemas/";

/** Returns the name that a reference points to, or undefined. */
export const getReferenceName = (schema: JsonSchema): string | undefined =>
  schema.$ref?.startsWith(COMPONENT) ? schema.$ref.slice(COMPONENT.length) : undefined;

/**
 * Converts a schema to JSON Schema, for what a caller sends (`input`: fields with defaults are optional) or receives
 * (`output`). Schemas with an `id` are added to `named` and referenced.
 */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output", named: Schemas): JsonSchema {
  const { $schema, ...root } = z.toJSONSchema(schema, {
    io,
    // Rules that only code can check are described in the text, not in the schema.
    unrepresentable: "any",
    override: ({ jsonSchema: made }) => {
      // Answers can gain fields within v1, and readers that refuse unknown ones would break.
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

/** Returns the same schema with its references moved to an OpenAPI document's components. */
const moveReferences = <T>(schema: T): T =>
  JSON.parse(JSON.stringify(schema).replaceAll(`"$ref":"${DEFINITION}`, `"$ref":"${COMPONENT}`)) as T;

/** Returns the schemas of the input and output of a procedure. */
export const getSchemas = (
  procedure: Pick<Procedure, "input" | "output">,
  named: Schemas,
): { input: JsonSchema; output: JsonSchema } => ({
  input: toJsonSchema(procedure.input, "input", named),
  output: toJsonSchema(procedure.output, "output", named),
});

/** Inlines every reference of a schema, for readers that take one schema at a time. */
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

/** Returns the named schemas that a part of a document refers to, also through other schemas. */
export function pickReferenced(part: unknown, named: Schemas): Schemas {
  const found = new Set<string>();
  const visit = (at: unknown): void => {
    if (typeof at !== "object" || at === null) return;
    const name = getReferenceName(at as JsonSchema);
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      visit(named[name]);
    }
    for (const value of Object.values(at)) visit(value);
  };
  visit(part);
  return Object.fromEntries(Object.entries(named).filter(([name]) => found.has(name)));
}
