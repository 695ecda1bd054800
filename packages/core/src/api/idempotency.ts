import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { MESSAGES, RESOURCES } from "@minutes/contract";
import { ApiError } from "../api-error.js";
import type { FoundProcedure } from "./resources.js";

/** A create that a client can repeat. */
export interface RepeatableCall {
  /** Mount and procedure. */
  readonly route: string;
  /** The client's `Idempotency-Key`. */
  readonly key: string;
  /** SHA-256 of the body and the parameters in the path. */
  readonly fingerprint: Uint8Array;
  /** Field of the answer that is never stored; undefined if there is none. */
  readonly secret: string | undefined;
}

/**
 * Runs a call unless the same caller has made it before; then returns the first answer, without its secret.
 * @throws ApiError 409 while the first call runs, 422 if its body was another one
 */
export type RunOnce = (
  call: RepeatableCall,
  run: () => Promise<unknown>,
) => Promise<{ readonly payload: unknown; readonly replayed: boolean }>;

/** Maximum characters of an `Idempotency-Key`. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads the `Idempotency-Key` of a create: every procedure whose resource uses `POST`, apart from streams.
 * @returns undefined if there is none, or for another procedure
 * @throws ApiError 400
 */
export function readIdempotencyKey(request: IncomingMessage, procedure: string): string | undefined {
  const key = request.headers["idempotency-key"];
  const resource = RESOURCES[procedure];
  if (key === undefined || resource?.method !== "POST" || resource.streams) return undefined;
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
  secret: RESOURCES[name]?.secret,
});
