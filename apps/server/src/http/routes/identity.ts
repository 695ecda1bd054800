import {
  type IdentityContext,
  identityRouter,
  type RouteSet,
  requireQuota,
  toPasskeySite,
  toQuotaHeaders,
} from "@minutes/core";
import type { AppServices } from "./services.js";
import {
  readSessionCookie,
  requireSameOrigin,
  toBrowserCookie,
  toSessionCookie,
  toVisitor,
} from "./session.js";

/** Creates the routes of `/identity/v1` for signing in. No sign-in is required. */
export const createIdentityRoutes = ({
  db,
  deadline,
  publicUrl,
  sampleEmail,
  command,
  mailer,
  signIn,
  oidc,
  visitors,
  onFault,
}: AppServices): RouteSet => ({
  path: "/identity/v1",
  router: identityRouter,
  authenticate: async (request) => {
    const url = publicUrl();
    requireSameOrigin(request, url);
    const visitor = toVisitor({ deadline, publicUrl }, request);
    const quota = await visitors.count(visitor.address);
    const passkeySite = signIn.includes("passkey") ? toPasskeySite(url) : null;
    const report = (error: unknown) => onFault(error, request);
    return {
      headers: toQuotaHeaders(quota),
      authorize: (addCookie): IdentityContext => {
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
          sampleEmail: sampleEmail(),
          command,
          mail: mailer && { mailer, publicUrl: url, onFault: report },
          onFault: report,
          sessionToken: readSessionCookie(request, url),
          cookies: {
            setSession: (session) => addCookie(toSessionCookie(url, session)),
            setBrowser: (token) => addCookie(toBrowserCookie(url, token)),
          },
        };
      },
    };
  },
  limits: { deadline },
});
