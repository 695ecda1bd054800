import { missingZone, toUnknownFieldSentence } from "@minutes/contract";
import type { AnyTRPCProcedure } from "@trpc/server";
import { ApiError } from "../lib/api-error.js";
import { type Codec, isRecord, requireFewFields } from "./codec.js";
import { splitParameters, type Target } from "./request.js";
import type { FoundProcedure } from "./resources.js";

/** The part of a zod schema read here: an object's fields, and the schema inside an optional or transformed one. */
interface SchemaLike {
  readonly shape?: Readonly<Record<string, SchemaLike>>;
  readonly def?: {
    readonly type?: string;
    readonly innerType?: SchemaLike;
    readonly in?: SchemaLike;
    /** The values of a literal. */
    readonly values?: readonly unknown[];
  };
}

const unwrap = (schema: SchemaLike): SchemaLike => {
  const inner = schema.def?.innerType ?? schema.def?.in;
  return inner ? unwrap(inner) : schema;
};

function getFields(procedure: AnyTRPCProcedure): Readonly<Record<string, SchemaLike>> {
  const [input] = (procedure._def as unknown as { inputs: SchemaLike[] }).inputs;
  return (input && unwrap(input).shape) ?? {};
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Converts a parameter's text to the field's type. Text that does not fit stays text, which the schema refuses. */
function toFieldValue(schema: SchemaLike, text: string): unknown {
  const { type, values } = unwrap(schema).def ?? {};
  if (type === "literal") return values?.find((value) => String(value) === text) ?? text;
  if (type === "number" && NUMBER.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  if (type === "array") return text.split(",");
  return text;
}

/** Converts the parameters in a path to the types of their fields. */
export function parsePathParameters({
  procedure,
  parameters,
}: Pick<FoundProcedure, "procedure" | "parameters">): Record<string, unknown> | undefined {
  if (!parameters) return undefined;
  const fields = getFields(procedure);
  return Object.fromEntries(
    Object.entries(parameters).map(([name, text]) => {
      const field = fields[name];
      return [name, field ? toFieldValue(field, text) : text];
    }),
  );
}

/** A date-time without a zone, or with an offset whose `+` was decoded to a space. */
const NO_ZONE = /^\d{4}-\d{2}-\d{2}T[\d:.,]+(?: \d{2}:?\d{2})?$/;

/** Parses ordinary query parameters; blank ones are absent. @throws ApiError 400 for a repeated one */
function parseQuery(target: Target, procedure: AnyTRPCProcedure): Record<string, unknown> | undefined {
  if (target.parameters.length === 0) return undefined;
  const fields = getFields(procedure);
  const values = new Map<string, unknown>();
  for (const [name, value] of splitParameters(target)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (values.has(name)) {
      const sentence = field ? `${name} was given more than once.` : toUnknownFieldSentence(name);
      throw new ApiError("BAD_REQUEST", sentence);
    }
    // No-code tools send every parameter they know.
    if (value === "" && field) continue;
    if (name.endsWith("Date") && NO_ZONE.test(value)) throw new ApiError("BAD_REQUEST", missingZone(name));
    // The schema refuses unknown fields.
    values.set(name, field ? toFieldValue(field, value) : value);
  }
  const input = Object.fromEntries(values);
  requireFewFields(input, "The query");
  return input;
}

/** Parses a body that is a JSON object. @throws ApiError 400 for any other text */
function parseBody(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError("BAD_REQUEST", "The body is not valid JSON.");
  }
  if (!isRecord(body)) throw new ApiError("BAD_REQUEST", "The body must be a JSON object.");
  requireFewFields(body, "The body");
  return body;
}

/** REST: query parameters, a JSON object as body, and the payload as the answer. */
export const REST_CODEC: Codec = {
  hasParameters: ({ parameters }) => parameters.length > 0,
  parseQuery,
  parseBody,
  wrap: (payload) => payload,
};
