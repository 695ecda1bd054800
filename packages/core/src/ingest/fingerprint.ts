import { createHash } from "node:crypto";

/**
 * Hashes an input, to tell a repeated request from a different one under the same id. Equal for equal inputs: validation has put the
 * fields into one order and filled in the defaults.
 */
export const fingerprintRequest = (validated: object): Uint8Array =>
  createHash("sha256").update(JSON.stringify(validated)).digest();

/** Compares two hashes. */
export const isSameFingerprint = (one: Uint8Array, other: Uint8Array): boolean =>
  Buffer.compare(one, other) === 0;
