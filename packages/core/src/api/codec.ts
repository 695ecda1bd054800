import { toUnknownFieldSentence } from "@minutes/contract";
import type { AnyTRPCProcedure } from "@trpc/server";
import { ApiError } from "../lib/api-error.js";
import { parseInputParameter, type Target } from "./request.js";

/** The wire format of a route set's inputs and payloads. Errors are the same in all. */
export interface Codec {
  /** Returns true if the query has parameters, which a write does not accept. @throws ApiError 400 */
  readonly hasParameters: (target: Target) => boolean;
  /** Parses parameters from the query; undefined if there are none. @throws ApiError 400 */
  readonly parseQuery: (target: Target, procedure: AnyTRPCProcedure) => Record<string, unknown> | undefined;
  /** Parses parameters from a body; undefined if there are none. @throws ApiError 400 */
  readonly parseBody: (text: string) => Record<string, unknown> | undefined;
  /** Wraps a payload, written as JSON. */
  readonly wrap: (payload: string) => string;
}

const reject = (message: string): never => {
  throw new ApiError("BAD_REQUEST", message);
};

/** Returns true for a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Maximum number of fields in an input. No procedure has that many. */
const FIELDS_MAX = 100;

const BAD_META = "input.meta may only mark top-level fields as undefined or Date.";

/** Parses `["undefined"]` or `["Date"]`, the two annotations that stock clients add to plain JSON. */
function parseMark(annotation: unknown): "undefined" | "Date" {
  if (Array.isArray(annotation) && annotation.length === 1) {
    if (annotation[0] === "undefined" || annotation[0] === "Date") return annotation[0];
  }
  return reject(BAD_META);
}

function parseAnnotations(meta: unknown): unknown {
  if (!isRecord(meta) || !("values" in meta)) return reject(BAD_META);
  const { values, v = 1, ...rest } = meta;
  return v === 1 && Object.keys(rest).length === 0 ? values : reject(BAD_META);
}

/** Refuses inputs that zod's strict objects would check slowly or incompletely. @throws ApiError 400 */
export function requireFewFields(json: Record<string, unknown>, name: string): void {
  // Checking thousands of unknown fields one by one would block the event loop.
  if (Object.keys(json).length > FIELDS_MAX) reject(`${name} has too many fields.`);
  // zod's strict objects ignore this name.
  if (Object.hasOwn(json, "__proto__")) reject(toUnknownFieldSentence("__proto__"));
}

/**
 * Parses the request envelope `{"json": {…}}`. superjson's `meta` is parsed here, field by field, because crafted
 * annotations can make superjson hang.
 * @returns the parameters, or undefined for a stock client's call without input
 * @throws ApiError 400 for any other text
 * @see docs/open-questions.md#q3
 */
function parseEnvelope(text: string): Record<string, unknown> | undefined {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    return reject("input is not valid JSON.");
  }
  if (!isRecord(envelope) || !Object.hasOwn(envelope, "json")) {
    return reject('input must be a JSON object of the form {"json": {…}}.');
  }
  const { json, meta, ...rest } = envelope;
  const [extra] = Object.keys(rest);
  if (extra !== undefined) return reject(toUnknownFieldSentence(extra));

  const annotations = meta === undefined ? {} : parseAnnotations(meta);
  if (json === null && Array.isArray(annotations)) {
    return parseMark(annotations) === "undefined" ? undefined : reject(BAD_META);
  }
  if (!isRecord(json)) return reject("input.json must be an object.");
  requireFewFields(json, "input.json");
  if (!isRecord(annotations)) return reject(BAD_META);
  for (const [field, annotation] of Object.entries(annotations)) {
    if (!Object.hasOwn(json, field)) return reject(BAD_META);
    const mark = parseMark(annotation);
    if (mark === "undefined" && json[field] === null) delete json[field];
    else if (mark === "undefined" || typeof json[field] !== "string") return reject(BAD_META);
  }
  return json;
}

/** Returns the envelope of a successful response. Payloads are plain JSON, so it never needs `meta`. */
const toEnvelope = (payload: string): string => `{"result":{"data":{"json":${payload}}}}`;

/** tRPC's envelope as specified. @see docs/specification.md#common-request-and-response-format */
export const ENVELOPE_CODEC: Codec = {
  hasParameters: (target) => parseInputParameter(target) !== undefined,
  parseQuery: (target) => {
    const text = parseInputParameter(target);
    // A call without input has no parameters; the procedure's schema decides which ones it requires.
    return text === undefined ? undefined : (parseEnvelope(text) ?? {});
  },
  parseBody: parseEnvelope,
  wrap: toEnvelope,
};
