import type { IncomingMessage } from "node:http";
import {
  type Admission,
  authenticate,
  type Caller,
  requireApiAccess,
  toQuotaHeaders,
  type VerifiedKey,
} from "@minutes/core";
import type { RouteDependencies } from "./dependencies.js";

/** Reads the header that carries an API key or an ingest credential. */
export function readKeyHeader({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"];
  return typeof key === "string" ? key : undefined;
}

/** Verifies the API key of a request. @throws ApiError 401 */
export const verifyApiKey = ({ db, rateLimit }: RouteDependencies, key: string | undefined) =>
  authenticate(db, key, rateLimit);

/** Admits a verified key to the routes of one kind. */
export const admitTo = (
  { db, similarity }: RouteDependencies,
  verified: VerifiedKey,
  kind: Caller["kind"],
): Admission => ({
  headers: toQuotaHeaders(verified.quota),
  context: () => ({ db, similarity, caller: requireApiAccess(verified, kind) }),
});
