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
import { toOidcCallback } from "../../config/public-url.js";
import type { AppServices } from "./services.js";
import { readCookie, toCookie, toVisitor, toVisitorCaller } from "./session.js";

/** Cookie with the secret of the browser's current sign-in, and the page to open afterwards. */
const FLOW_COOKIE = "minutes-oidc";
/** Time to sign in at the provider, in seconds. */
const FLOW_SECONDS = 600;
const HOME = "/meetings";

interface Redirect {
  readonly target: string;
  readonly cookies: readonly string[];
}

/**
 * Serves `/identity/v1/oidc`: redirects a browser to the company's OpenID Connect provider and handles its return.
 * Every failure redirects to the sign-in page, which explains it.
 */
export function serveOidc(dependencies: AppServices): Router {
  const { db, deadline, oidc, publicUrl, visitors, onFault } = dependencies;
  const router = express.Router({ caseSensitive: true });
  if (!oidc) return router;

  router.get("/start", async (request, response) => {
    await answer(request, response, async (url) => {
      const flow = await beginOidc(db, oidc, toOidcCallback(url));
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
      // Immediately: the secret is used up, whatever the result.
      response.append("Set-Cookie", toCookie(url, FLOW_COOKIE, "", 0));
      const { cookies, invitation } = await signIn(oidc, request, secret);
      const to = toOwnPath(Buffer.from(path, "base64url").toString("utf8"), url);
      return { cookies, target: url + (invitation ? `/invitation#${invitation}` : to) };
    });
  });

  /** Signs a browser in. @returns its cookies, and the token of an invitation back, as returned by `confirmAddress` */
  async function signIn(client: OidcClient, request: Request, secret?: string) {
    const url = `${toOidcCallback(publicUrl())}?${request.originalUrl.split("?")[1] ?? ""}`;
    const cookies: string[] = [];
    const visitor = toVisitor(dependencies, request);
    const caller = toVisitorCaller(dependencies, request, visitor, (cookie) => cookies.push(cookie));
    const { session, invitation } = await completeOidc(db, client, secret, url, caller);
    await replaceBrowserSession(db, caller, session);
    return { cookies, invitation };
  }

  /**
   * Redirects to the result of `work`, or to the sign-in page with the name of the problem. Exceeding a call's deadline
   * is such a problem: cookies are not sent then, so nobody is signed in later.
   */
  async function answer(request: Request, response: Response, work: (url: string) => Promise<Redirect>) {
    const url = publicUrl();
    const limit = createDeadline(deadline);
    let target: string;
    try {
      requireQuota(await limit.within(visitors.count(toVisitor(dependencies, request).address)));
      const redirect = await limit.within(work(url));
      for (const cookie of redirect.cookies) response.append("Set-Cookie", cookie);
      target = redirect.target;
    } catch (error) {
      target = `${url}/sign-in?problem=${describeProblem(error, (fault) => onFault(fault, request))}`;
    }
    response.set(COMMON_HEADERS).redirect(302, target);
  }

  return router;
}

/** Returns the page to open after the sign-in: a path of this installation, or the meetings. */
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
