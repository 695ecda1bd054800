import {
  type IdentityContext,
  identityRouter,
  type RouteSet,
  requireQuota,
  toPasskeySite,
  toQuotaHeaders,
} from "@minutes/core";
import type { RouteDependencies } from "./dependencies.js";
import { readSessionCookie, requireSameOrigin, toSessionCookie, toVisitor } from "./session.js";

/** Describes `/identity/v1`: what signs people in. Nobody has to be signed in. */
export const describeIdentityRoutes = ({
  db,
  deadline,
  publicUrl,
  mailer,
  signIn,
  oidc,
  visitors,
  onFault,
}: RouteDependencies): RouteSet => ({
  path: "/identity/v1",
  router: identityRouter,
  authenticate: async (request) => {
    const url = publicUrl();
    requireSameOrigin(request, url);
    const visitor = toVisitor(request);
    const quota = await visitors.count(visitor.address);
    const passkeySite = signIn.includes("passkey") ? toPasskeySite(url) : null;
    const headers = toQuotaHeaders(quota);
    return {
      headers,
      context: (): IdentityContext => {
        requireQuota(quota);
        return {
          db,
          visitor,
          ways: {
            password: signIn.includes("password"),
            magicLink: mailer !== null && signIn.includes("link"),
            passkey: passkeySite !== null,
            oidc: oidc !== null,
          },
          passkeySite,
          mail: mailer && { mailer, publicUrl: url, onFault: (error) => onFault(error, request) },
          sessionToken: readSessionCookie(request, url),
          setCookie: (session) => {
            headers["Set-Cookie"] = toSessionCookie(url, session);
          },
        };
      },
    };
  },
  limits: { deadline },
});
