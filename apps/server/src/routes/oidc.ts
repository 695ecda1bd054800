import {
  ApiError,
  beginOidc,
  COMMON_HEADERS,
  completeOidc,
  createDeadline,
  type OidcClient,
  OidcRefusal,
  replaceBrowserSession,
  requireQuota,
} from "@minutes/core";
import express, { type Request, type Response, type Router } from "express";
import type { RouteDependencies } from "./dependencies.js";
import { readCookie, readSessionCookie, toCookie, toSessionCookie, toVisitor } from "./session.js";

/** Holds the secret of the sign-in that this browser has begun, and the page to go to afterwards. */
const FLOW_COOKIE = "minutes-oidc";
/** Seconds to sign in at the provider. */
const FLOW_SECONDS = 600;
const HOME = "/meetings";

interface Redirect {
  readonly target: string;
  readonly cookies: readonly string[];
}

/**
 * Serves `/identity/v1/oidc`: sends a browser to the company's OpenID Connect provider and takes it back. Everything that can go
 * wrong leads to the sign-in page, which says what it was.
 */
export function serveOidc(dependencies: RouteDependencies): Router {
  const { db, deadline, oidc, publicUrl, visitors, onFault } = dependencies;
  const router = express.Router({ caseSensitive: true });
  if (!oidc) return router;

  router.get("/start", async (request, response) => {
    await answer(request, response, async (url) => {
      const flow = await beginOidc(db, oidc, toCallbackUrl(url));
      const path = Buffer.from(toOwnPath(request.query.to, url)).toString("base64url");
      return {
        target: flow.url,
        cookies: [toCookie(url, FLOW_COOKIE, `${flow.secret}.${path}`, FLOW_SECONDS)],
      };
    });
  });

  router.get("/callback", async (request, response) => {
    await answer(request, response, async (url) => {
      const [secret, path = ""] = readCookie(request, url, FLOW_COOKIE)?.split(".") ?? [];
      // At once: whatever comes of the sign-in, its secret is used.
      response.append("Set-Cookie", toCookie(url, FLOW_COOKIE, "", 0));
      return {
        cookies: [await signIn(oidc, request, secret)],
        target: url + toOwnPath(Buffer.from(path, "base64url").toString("utf8"), url),
      };
    });
  });

  /** Signs a browser in. @returns its session's cookie */
  async function signIn(client: OidcClient, request: Request, secret?: string): Promise<string> {
    const url = publicUrl();
    const query = request.originalUrl.split("?")[1] ?? "";
    const { label } = toVisitor(request);
    const session = await completeOidc(db, client, secret, `${toCallbackUrl(url)}?${query}`, label);
    let cookie = "";
    const sessionToken = readSessionCookie(request, url);
    const setCookie = (created: typeof session | null) => {
      cookie = toSessionCookie(url, created);
    };
    await replaceBrowserSession({ db, sessionToken, setCookie }, session);
    return cookie;
  }

  /**
   * Redirects to where `work` says, or to the sign-in page with the name of the problem. What takes longer than a call may
   * is such a problem: its cookies are not sent, so that nobody is signed in later.
   */
  async function answer(request: Request, response: Response, work: (url: string) => Promise<Redirect>) {
    const url = publicUrl();
    const withinDeadline = createDeadline(deadline);
    let target: string;
    try {
      requireQuota(await withinDeadline(visitors.count(toVisitor(request).address)));
      const redirect = await withinDeadline(work(url));
      for (const cookie of redirect.cookies) response.append("Set-Cookie", cookie);
      target = redirect.target;
    } catch (error) {
      target = `${url}/sign-in?problem=${describeProblem(error, (fault) => onFault(fault, request))}`;
    }
    response.set(COMMON_HEADERS).redirect(302, target);
  }

  return router;
}

/** Writes the address to which the provider sends the browser back. It is registered there. */
const toCallbackUrl = (publicUrl: string): string => `${publicUrl}/identity/v1/oidc/callback`;

/** Returns the page to go to after the sign-in: a path of this installation, or the meetings. */
function toOwnPath(to: unknown, publicUrl: string): string {
  if (typeof to !== "string" || !URL.canParse(to, publicUrl)) return HOME;
  const { origin, pathname, search } = new URL(to, publicUrl);
  return origin === publicUrl && pathname !== "/" ? pathname + search : HOME;
}

function describeProblem(error: unknown, onFault: (error: unknown) => void): string {
  if (error instanceof OidcRefusal) {
    if (error.cause !== undefined) onFault(error.cause);
    return error.problem;
  }
  if (error instanceof ApiError && error.code === "TOO_MANY_REQUESTS") return "busy";
  onFault(error);
  return "provider";
}
