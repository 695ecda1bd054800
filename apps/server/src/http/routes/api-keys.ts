import type { IncomingMessage } from "node:http";
import { MESSAGES } from "@minutes/contract";
import {
  type Admission,
  ApiError,
  actorOf,
  authenticate,
  type Caller,
  type Context,
  createRunOnce,
  requireApiAccess,
  toQuotaHeaders,
  type VerifiedKey,
} from "@minutes/core";
import type { Request } from "express";
import type { AppServices } from "./services.js";

/** Reads the header with an API key or ingest credential. */
export function readKeyHeader({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"];
  return typeof key === "string" ? key : undefined;
}

/** Reads a key from `x-api-key` or, because most tools can send one, from a bearer token. */
export const readKeyOrBearer = (request: IncomingMessage): string | undefined =>
  readKeyHeader(request) ?? /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];

/** Reads a key from either header. @throws ApiError 401 that names both */
export function requireKeyOrBearer(request: IncomingMessage): string {
  const key = readKeyOrBearer(request);
  if (!key) throw new ApiError("UNAUTHORIZED", MESSAGES.missingKeyOrBearer);
  return key;
}

/**
 * Returns the client's address, from `X-Forwarded-For` as far as TRUST_PROXY permits; undefined once it has
 * disconnected.
 */
export const readAddress = (request: IncomingMessage): string | undefined => (request as Partial<Request>).ip;

/** Creates the check of a request's credential, which counts failures by the client's address. */
export const createCredentialCheck = (
  { credentials }: Pick<AppServices, "credentials">,
  request: IncomingMessage,
) => credentials.createCheck(() => readAddress(request));

/** Verifies a request's API key and counts the request. @throws ApiError 401, 429 */
export async function verifyApiKey(
  dependencies: AppServices,
  request: IncomingMessage,
  key: string | undefined,
): Promise<VerifiedKey> {
  const { keys, rateLimit, keyNetworks, requests } = dependencies;
  const verified = await authenticate(keys, key, rateLimit, createCredentialCheck(dependencies, request));
  const { caller } = verified;
  keyNetworks.record("key", actorOf(caller), readAddress(request));
  requests.count(caller.kind === "user" ? `personal:${caller.userId}` : `workspace:${caller.workspaceId}`);
  return verified;
}

const toHolder = (caller: Caller) =>
  caller.kind === "user" ? { userId: caller.userId } : { workspaceId: caller.workspaceId };

/** Admits a verified key to the routes of one kind. */
export const toAdmission = (
  services: AppServices,
  verified: VerifiedKey,
  kind: Caller["kind"],
): Admission => ({
  headers: toQuotaHeaders(verified.quota),
  mayWrite: verified.access === "full",
  runOnce: createRunOnce(services.db, toHolder(verified.caller)),
  authorize: (): Context => ({ db: services.db, caller: requireApiAccess(verified, kind), services }),
});
