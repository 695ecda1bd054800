import { type Context, identityRouter, type RouteSet, requireQuota, toQuotaHeaders } from "@minutes/core";
import type { AppServices } from "./services.js";
import { requireSameOrigin, toVisitor, toVisitorCaller } from "./session.js";

/** Creates the routes of `/identity/v1` for signing in. No sign-in is required. */
export const createIdentityRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/identity/v1",
  router: identityRouter,
  authenticate: async (request) => {
    requireSameOrigin(request, dependencies.publicUrl());
    const visitor = toVisitor(dependencies, request);
    const quota = await dependencies.visitors.count(visitor.address);
    return {
      headers: toQuotaHeaders(quota),
      authorize: (addCookie): Context => {
        requireQuota(quota);
        const caller = toVisitorCaller(dependencies, request, visitor, addCookie);
        return { db: dependencies.db, caller, services: dependencies };
      },
    };
  },
  limits: { deadline: dependencies.deadline },
});
