import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { bodyTooLarge, MESSAGES, toUnknownFieldSentence } from "@minutes/contract";
import { ApiError } from "../lib/api-error.js";

/** The path and the query of a request target. */
export interface Target {
  /** The path, decoded as a whole. */
  readonly path: string;
  /** The path's segments, decoded one at a time: an ID in one can have a slash. */
  readonly segments: readonly string[];
  /** Raw `name=value` pairs. */
  readonly parameters: readonly string[];
}

/** An absolute request target, as sent by proxies (RFC 9112, 3.2.2). Express does not remove the origin. */
const ORIGIN = /^https?:\/\/[^/?]*/i;

/** Splits the request target below the mount point, `/meetings.list?input=…`. */
export function parseTarget(target: string): Target {
  const url = target.replace(ORIGIN, "");
  const mark = url.indexOf("?");
  const path = (mark < 0 ? url : url.slice(0, mark)).slice(1);
  const query = mark < 0 ? "" : url.slice(mark + 1);
  return {
    path: decode(path, MESSAGES.badPath),
    segments: path.split("/").map((segment) => decode(segment, MESSAGES.badPath)),
    parameters: query.split("&").filter(Boolean),
  };
}

function decode(text: string, message: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ApiError("BAD_REQUEST", message);
  }
}

/** Decodes query parameters one at a time. @throws ApiError 400 for a bad escape */
export function* splitParameters({ parameters }: Target): Generator<readonly [name: string, value: string]> {
  for (const parameter of parameters) {
    const equals = parameter.indexOf("=");
    const name = decode(
      equals < 0 ? parameter : parameter.slice(0, equals),
      "The query string is not valid percent-encoding.",
    );
    const value = equals < 0 ? "" : parameter.slice(equals + 1);
    yield [name, decode(value, `${name === "input" ? name : "A parameter"} is not valid percent-encoding.`)];
  }
}

/** Returns true for several procedures in one path, as tRPC's `httpBatchLink` sends them. */
export const isBatch = ({ path, parameters }: Target): boolean =>
  path.includes(",") && parameters.some((one) => /^batch(?:=|$)/.test(one));

/**
 * Returns the `input` parameter of a query.
 * @returns undefined if it is missing or empty
 * @throws ApiError 400 for a repeated `input`, a bad escape, or any other parameter: a filter put next to `input` by
 * mistake must not mean "no filter"
 */
export function parseInputParameter(target: Target): string | undefined {
  let input: string | undefined;
  for (const [name, value] of splitParameters(target)) {
    if (name === "batch") throw new ApiError("BAD_REQUEST", MESSAGES.batching);
    if (name !== "input") {
      throw new ApiError("BAD_REQUEST", "The only query parameter is input; put parameters into its JSON.");
    }
    if (input !== undefined) throw new ApiError("BAD_REQUEST", "input was given more than once.");
    input = value;
  }
  // Tools that send every documented parameter use an empty one for "none".
  return input === "" ? undefined : input;
}

/** Adds the parameters in a path to the others. @throws ApiError 400 for one that is given twice */
export function addPathParameters(
  parameters: Readonly<Record<string, unknown>> | undefined,
  input: object = {},
): object {
  if (!parameters) return input;
  for (const name of Object.keys(parameters))
    if (Object.hasOwn(input, name)) throw new ApiError("BAD_REQUEST", toUnknownFieldSentence(name));
  return { ...input, ...parameters };
}

/** Returns true if a request has a body, or declares the type of one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"] !== undefined ||
  headers["transfer-encoding"] !== undefined ||
  Number(headers["content-length"] ?? 0) > 0;

/** Returns true if a request declares that its body is audio. */
export const hasAudio = ({ headers }: IncomingMessage): boolean =>
  /^audio\//i.test(headers["content-type"] ?? "");

/** Returns the length of an unread body in bytes; `limit` if the client does not declare it. */
export function getBodyLength(request: IncomingMessage, limit: number): number {
  return Math.min(Number(request.headers["content-length"] ?? limit), limit);
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Reads the body of a write.
 * @throws ApiError 415 unless it is plain JSON, 413 over `limit` bytes
 */
export async function readJsonBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  if (
    !JSON_TYPE.test(request.headers["content-type"] ?? "") ||
    (request.headers["content-encoding"] ?? "identity") !== "identity"
  ) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", MESSAGES.needsJson);
  }
  const createTooLargeError = () => new ApiError("PAYLOAD_TOO_LARGE", bodyTooLarge(limit));
  if (Number(request.headers["content-length"] ?? 0) > limit) throw createTooLargeError();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) reject(createTooLargeError());
      else chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", () => reject(new ApiError("BAD_REQUEST", MESSAGES.badRequest)));
    // Every request emits close; creating an error is expensive, so skip it if the body was read.
    request.on("close", () => {
      if (!request.readableEnded) reject(new ApiError("BAD_REQUEST", MESSAGES.badRequest));
    });
  });
}

/** Decodes a body. @throws ApiError 400 when it is not UTF-8 */
export function decodeBody(body: Uint8Array): string {
  if (!isUtf8(body)) throw new ApiError("BAD_REQUEST", "The body is not valid UTF-8.");
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
}
