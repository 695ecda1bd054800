import type { IncomingMessage } from "node:http";
import {
  type Admission,
  authenticate,
  type Caller,
  requireApiAccess,
  toQuotaHeaders,
  type VerifiedKey,
} from "@minutes/core";
import type { Request } from "express";
import type { RouteDependencies } from "./dependencies.js";

/** Reads the header that carries an API key or an ingest credential. */
export function readKeyHeader({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"];
  return typeof key === "string" ? key : undefined;
}

/** Reads the client's address, by `X-Forwarded-For` as far as TRUST_PROXY allows; undefined once it is gone. */
export const readAddress = (request: IncomingMessage): string | undefined => (request as Partial<Request>).ip;

/** Makes the check of a request's credential, which counts failures by the client's address. */
export const createCredentialCheck = ({ credentials }: RouteDependencies, request: IncomingMessage) =>
  credentials.createCheck(() => readAddress(request));

/** Verifies an API key that came with a request, and counts the request. @throws ApiError 401, 429 */
export async function verifyApiKey(
  dependencies: RouteDependencies,
  request: IncomingMessage,
  key = readKeyHeader(request),
): Promise<VerifiedKey> {
  const { keys, rateLimit, keyNetworks, requests } = dependencies;
  const verified = await authenticate(keys, key, rateLimit, createCredentialCheck(dependencies, request));
  const { caller } = verified;
  keyNetworks.record("key", caller.keyId, readAddress(request));
  requests.count(`${caller.kind}:${caller.kind === "personal" ? caller.userId : caller.workspaceId}`);
  return verified;
}

/** Admits a verified key to the routes of one kind. */
export const admit = (
  { db, similarity }: RouteDependencies,
  verified: VerifiedKey,
  kind: Caller["kind"],
): Admission => ({
  headers: toQuotaHeaders(verified.quota),
  mayWrite: verified.access === "full",
  context: () => ({ db, similarity, caller: requireApiAccess(verified, kind) }),
});
