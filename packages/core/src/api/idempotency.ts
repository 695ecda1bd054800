import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { MESSAGES } from "@minutes/contract";
import { REST_ROUTES } from "@minutes/contract/operations";
import { ApiError } from "../lib/api-error.js";
import type { RepeatableCall } from "./idempotency/index.js";
import type { FoundProcedure } from "./resources.js";

/** Maximum characters of an `Idempotency-Key`. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads the `Idempotency-Key` of a create: every procedure whose resource uses `POST`, apart from streams.
 * @returns undefined if there is none, or for another procedure
 * @throws ApiError 400
 */
export function readIdempotencyKey(request: IncomingMessage, procedure: string): string | undefined {
  const key = request.headers["idempotency-key"];
  const route = REST_ROUTES[procedure];
  if (key === undefined || !route?.at.startsWith("POST ") || route.streams) return undefined;
  if (typeof key === "string" && KEY.test(key)) return key;
  throw new ApiError("BAD_REQUEST", MESSAGES.idempotencyKeyInvalid);
}

/** Describes a call for `RunOnce`. */
export const toRepeatableCall = (
  mount: string,
  { name, parameters }: FoundProcedure,
  key: string,
  body: Uint8Array,
): RepeatableCall => ({
  route: `${mount}/${name}`,
  key,
  fingerprint: createHash("sha256")
    .update(JSON.stringify(parameters ?? {}))
    .update(body)
    .digest(),
  secret: REST_ROUTES[name]?.secret,
  content: REST_ROUTES[name]?.content,
});
