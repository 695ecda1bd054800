import type { IncomingMessage } from "node:http";
import { LIMITS, MESSAGES } from "@minutes/contract";
import {
  ApiError,
  authenticateSession,
  toAddressKey,
  toNetwork,
  type Visitor,
  type VisitorCaller,
} from "@minutes/core";
import { isLoopback } from "../../config/settings/rules.js";
import { createCredentialCheck, readAddress } from "./api-keys.js";
import type { AppServices } from "./services.js";

/** Maximum stored characters of a browser's name. */
const LABEL_LENGTH = 200;

/** Returns false only for http on loopback: browsers don't store our cookies over http from elsewhere. */
const isSecure = (publicUrl: string): boolean => {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "https:" || !isLoopback(hostname);
};

/**
 * Returns the name with `__Host-`, which binds the cookie to this host over TLS. Over http, which is only used on
 * loopback, it has no prefix.
 */
const getCookieName = (publicUrl: string, name: string): string =>
  isSecure(publicUrl) ? `__Host-${name}` : name;

const SESSION_COOKIE = "minutes";
/** Cookie that makes a browser known to users who have signed in with it, even after they sign out. */
const BROWSER_COOKIE = "minutes-browser";

/** Reads a request's session cookie; undefined if it has none. */
export const readSessionCookie = (request: IncomingMessage, publicUrl: string): string | undefined =>
  readCookie(request, publicUrl, SESSION_COOKIE);

/** Formats the header that sets a cookie inaccessible to scripts and other sites. 0 seconds removes it. */
export function toCookie(publicUrl: string, name: string, value: string, seconds: number): string {
  const pair = `${getCookieName(publicUrl, name)}=${value}; Max-Age=${seconds}`;
  return `${pair}; Path=/; HttpOnly; SameSite=Lax${isSecure(publicUrl) ? "; Secure" : ""}`;
}

/** Reads a request's cookie; undefined if it has none. */
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
 * Refuses a change that another site's page makes a browser send. Browsers state the origin in `Sec-Fetch-Site`, older
 * ones in `Origin`; a request without both is refused.
 * @throws ApiError 403
 */
export function requireSameOrigin({ headers, method }: IncomingMessage, publicUrl: string): void {
  if (method === "GET" || method === "HEAD") return;
  const site = headers["sec-fetch-site"];
  const same = site === undefined ? headers.origin === publicUrl : site === "same-origin";
  if (!same) throw new ApiError("FORBIDDEN", MESSAGES.otherOrigin);
}

/** Collects the cookies and address of an unauthenticated caller. */
export const toVisitor = (
  { deadline, publicUrl }: Pick<AppServices, "deadline" | "publicUrl">,
  request: IncomingMessage,
): Visitor => ({
  address: toAddressKey(readAddress(request)),
  network: toNetwork(readAddress(request)),
  answerBy: performance.now() + deadline,
  label: request.headers["user-agent"]?.slice(0, LABEL_LENGTH) ?? null,
  browserToken: readCookie(request, publicUrl(), BROWSER_COOKIE),
});

/** Returns a visitor as the caller of operations. @param addCookie adds a `Set-Cookie` header to the response */
export function toVisitorCaller(
  { publicUrl, onFault }: Pick<AppServices, "publicUrl" | "onFault">,
  request: IncomingMessage,
  visitor: Visitor,
  addCookie: (cookie: string) => unknown,
): VisitorCaller {
  const url = publicUrl();
  return {
    kind: "visitor",
    ...visitor,
    sessionToken: readSessionCookie(request, url),
    setSession: (session) =>
      addCookie(toCookie(url, SESSION_COOKIE, session?.token ?? "", session?.seconds ?? 0)),
    setBrowser: (token) => addCookie(toCookie(url, BROWSER_COOKIE, token, LIMITS.knownBrowserSeconds)),
    onFault: (error) => onFault(error, request),
  };
}

/**
 * Refuses a page's call if another account has since signed in in the same browser. Pages name the user they show in `X-User-Id`.
 * @throws ApiError 403
 */
function requireShownUser({ headers }: IncomingMessage, userId: string): void {
  const shown = headers["x-user-id"];
  if (shown !== undefined && shown !== userId)
    throw new ApiError("FORBIDDEN", MESSAGES.otherAccount, { "X-Sign-In": "other" });
}

/**
 * Returns the signed-in user of a request, by `Authorization: Bearer <token>` or session cookie, and counts the request
 * against one of their quotas.
 * @throws ApiError 401; 403 for a change by cookie from another site, and if the page shows another user
 */
export async function authenticateUser(
  dependencies: AppServices,
  request: IncomingMessage,
  quota: "settings" | "console",
) {
  const { db, rateLimit, publicUrl } = dependencies;
  const check = createCredentialCheck(dependencies, request);
  if (request.headers.authorization) return authenticateToken(dependencies, request, quota);
  const cookie = readSessionCookie(request, publicUrl());
  if (cookie !== undefined) requireSameOrigin(request, publicUrl());
  const signedIn = await authenticateSession(db, cookie, quota, rateLimit, check);
  requireShownUser(request, signedIn.user.userId);
  return signedIn;
}

/** A signed-in user and one of their quotas. */
export type SignedIn = Awaited<ReturnType<typeof authenticateUser>>;

/** Returns the user of `Authorization: Bearer <token>`, as `authenticateUser` does. @throws ApiError 401 */
export function authenticateToken(
  dependencies: AppServices,
  request: IncomingMessage,
  quota: "settings" | "console",
) {
  const { authorization } = request.headers;
  const token = authorization && (/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? "-");
  const check = createCredentialCheck(dependencies, request);
  return authenticateSession(dependencies.db, token, quota, dependencies.rateLimit, check);
}
