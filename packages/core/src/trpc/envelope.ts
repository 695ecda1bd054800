import { toUnknownFieldSentence } from "@minutes/contract";
import { ApiError } from "../errors.js";

const reject = (message: string): never => {
  throw new ApiError("BAD_REQUEST", message);
};

/** Tells a JSON object from other values. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Most fields of an input; no procedure has as many. */
const FIELDS_MAX = 100;

const BAD_META = "input.meta may only mark top-level fields as undefined or Date.";

/** Reads `["undefined"]` or `["Date"]`, the two marks that stock clients put beside plain JSON. */
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

/** Refuses what zod's strict objects would check slowly or not at all. @throws ApiError 400 */
export function requireFewFields(json: Record<string, unknown>, name: string): void {
  // Checking thousands of unknown fields one by one would block the event loop.
  if (Object.keys(json).length > FIELDS_MAX) reject(`${name} has too many fields.`);
  // zod's strict objects ignore this one name.
  if (Object.hasOwn(json, "__proto__")) reject(toUnknownFieldSentence("__proto__"));
}

/**
 * Parses the request envelope `{"json": {…}}`. superjson's `meta` is read here, field by field, because superjson
 * itself can be made to hang by what it is told to restore.
 * @returns the parameters, or undefined for a stock client's call without input.
 * @throws ApiError 400 for any other text.
 * @see docs/open-questions.md#q3
 */
export function parseEnvelope(text: string): Record<string, unknown> | undefined {
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

/** Writes the envelope of a successful response. Payloads are plain JSON, so it never needs `meta`. */
export const toEnvelope = (payload: unknown): string =>
  `{"result":{"data":{"json":${JSON.stringify(payload)}}}}`;
