import { createHash, type Hash } from "node:crypto";
import { yieldToEventLoop } from "@minutes/db";

/**
 * Hashes an input, to distinguish a repeated request from a different one with the same id. Equal for equal inputs:
 * validation has normalized the order of fields and filled in defaults.
 */
export const fingerprintRequest = (validated: object): Uint8Array =>
  createHash("sha256").update(JSON.stringify(validated)).digest();

/** Fields of a meeting that an importer can only assume: a start from a file's time, or the words of a recording. */
export type AssumedField = "title" | "startTime" | "startPrecision" | "endTime" | "transcript";

/** Number of list items hashed per step. */
const ITEMS = 1_000;

/**
 * Hashes a meeting as `fingerprintRequest` does, yielding to other requests: it can have a hundred thousand segments.
 */
export async function fingerprintMeeting(validated: object): Promise<Uint8Array> {
  const hash = createHash("sha256");
  let before = "{";
  for (const [name, value] of Object.entries(validated)) {
    if (value === undefined) continue;
    hash.update(`${before}${JSON.stringify(name)}:`);
    if (Array.isArray(value)) await hashList(hash, value);
    else hash.update(JSON.stringify(value));
    before = ",";
  }
  return hash.update(before === "{" ? "{}" : "}").digest();
}

/** Hashes a meeting without the fields that are only assumed: a repeated import can have other values of them. */
export const fingerprintAssumed = (meeting: object, assumed: readonly AssumedField[]): Promise<Uint8Array> =>
  fingerprintMeeting({ ...meeting, ...Object.fromEntries(assumed.map((field) => [field, undefined])) });

async function hashList(hash: Hash, items: readonly unknown[]): Promise<void> {
  hash.update("[");
  for (let at = 0; at < items.length; at += ITEMS) {
    await yieldToEventLoop();
    hash.update(`${at > 0 ? "," : ""}${JSON.stringify(items.slice(at, at + ITEMS)).slice(1, -1)}`);
  }
  hash.update("]");
}

/** Compares two hashes. */
export const isSameFingerprint = (one: Uint8Array, other: Uint8Array): boolean =>
  Buffer.compare(one, other) === 0;
