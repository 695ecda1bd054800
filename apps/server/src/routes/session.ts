import type { IncomingMessage } from "node:http";
import { MESSAGES } from "@minutes/contract";
import {
  ApiError,
  authenticateSession,
  type CreatedSession,
  toAddressKey,
  type Visitor,
} from "@minutes/core";
import { isLoopback } from "../loopback.js";
import { createCredentialCheck, readAddress } from "./api-keys.js";
import type { RouteDependencies } from "./dependencies.js";

/** Characters of a browser's own name that are kept. */
const LABEL_LENGTH = 200;

/** Returns false for http on loopback alone: a browser keeps no cookie of ours over http from elsewhere. */
const isSecure = (publicUrl: string): boolean => {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "https:" || !isLoopback(hostname);
};

/** Returns the name with `__Host-`, which binds the cookie to this host over TLS. Over http, for loopback only, it is plain. */
const getCookieName = (publicUrl: string, name: string): string =>
  isSecure(publicUrl) ? `__Host-${name}` : name;

const SESSION_COOKIE = "minutes";

/** Writes the header that sets a browser's session cookie; null removes it. */
export const toSessionCookie = (publicUrl: string, session: CreatedSession | null): string =>
  toCookie(publicUrl, SESSION_COOKIE, session?.token ?? "", session?.seconds ?? 0);

/** Reads the session cookie of a request; undefined when it has none. */
export const readSessionCookie = (request: IncomingMessage, publicUrl: string): string | undefined =>
  readCookie(request, publicUrl, SESSION_COOKIE);

/** Writes the header that sets a cookie which scripts and other sites can't use. 0 seconds remove it. */
export function toCookie(publicUrl: string, name: string, value: string, seconds: number): string {
  const pair = `${getCookieName(publicUrl, name)}=${value}; Max-Age=${seconds}`;
  return `${pair}; Path=/; HttpOnly; SameSite=Lax${isSecure(publicUrl) ? "; Secure" : ""}`;
}

/** Reads a cookie of a request; undefined when it has none. */
export function readCookie(
  { headers }: IncomingMessage,
  publicUrl: string,
  name: string,
): string | undefined {
  const start = `${getCookieName(publicUrl, name)}=`;
  const pairs = headers.cookie?.split(";").map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) || undefined;
}

/**
 * Refuses a change that a page of another site makes a browser send. Browsers say where a request comes from by
 * `Sec-Fetch-Site`, older ones by `Origin`; a request without both is refused.
 * @throws ApiError 403
 */
export function requireSameOrigin({ headers, method }: IncomingMessage, publicUrl: string): void {
  if (method === "GET" || method === "HEAD") return;
  const site = headers["sec-fetch-site"];
  const same = site === undefined ? headers.origin === publicUrl : site === "same-origin";
  if (!same) throw new ApiError("FORBIDDEN", MESSAGES.otherOrigin);
}

/** Tells who calls, as far as it is known without a sign-in. */
export const toVisitor = (request: IncomingMessage): Visitor => ({
  address: toAddressKey(readAddress(request)),
  label: request.headers["user-agent"]?.slice(0, LABEL_LENGTH) ?? null,
});

/**
 * Finds the signed-in user of a request, by `Authorization: Bearer <token>` or by the session cookie, and counts the
 * request against one of their quotas.
 * @throws ApiError 401; 403 for a change by cookie that another site makes.
 */
export async function authenticateUser(
  dependencies: RouteDependencies,
  request: IncomingMessage,
  quota: "settings" | "console",
) {
  const { db, rateLimit, publicUrl } = dependencies;
  const check = createCredentialCheck(dependencies, request);
  const { authorization } = request.headers;
  if (authorization) {
    const token = /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? "-";
    return authenticateSession(db, token, quota, rateLimit, check);
  }
  const cookie = readSessionCookie(request, publicUrl());
  if (cookie !== undefined) requireSameOrigin(request, publicUrl());
  return authenticateSession(db, cookie, quota, rateLimit, check);
}
