import type { IncomingMessage } from "node:http";
import {
  type Admission,
  accountRouter,
  type Context,
  createRunOnce,
  type RouteSet,
  requireQuota,
  toQuotaHeaders,
} from "@minutes/core";
import { toResources } from "./rest.js";
import type { AppServices } from "./services.js";
import { authenticateToken, authenticateUser, type SignedIn, toVisitor } from "./session.js";

/**
 * Creates the routes of signed-in users: `/settings/v1`, and the resources `/rest/v1/keys` and `/rest/v1/webhooks`, which
 * accept tokens but no cookies.
 */
export function createSettingsRoutes(dependencies: AppServices): RouteSet[] {
  const admit = (request: IncomingMessage, signedIn: SignedIn): Admission => {
    const { db } = dependencies;
    const { user, quota } = signedIn;
    return {
      headers: toQuotaHeaders(quota),
      runOnce: createRunOnce(db, { userId: user.userId }),
      authorize: (): Context => {
        requireQuota(quota);
        const visitor = toVisitor(dependencies, request);
        return { db, caller: user, services: dependencies, visitor };
      },
    };
  };
  const routes: RouteSet = {
    path: "/settings/v1",
    router: accountRouter,
    authenticate: async (request) =>
      admit(request, await authenticateUser(dependencies, request, "settings")),
    limits: { deadline: dependencies.deadline },
  };
  const resources = ["/keys", "/retention", "/webhooks"].map((section) =>
    toResources(routes, "/rest/v1", section, {
      router: accountRouter,
      authenticate: async (request) =>
        admit(request, await authenticateToken(dependencies, request, "settings")),
    }),
  );
  return [routes, ...resources];
}
