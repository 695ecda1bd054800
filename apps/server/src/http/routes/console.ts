import { type Context, consoleRouter, type RouteSet, requireQuota, toQuotaHeaders } from "@minutes/core";
import type { AppServices } from "./services.js";
import { authenticateUser } from "./session.js";

/** Creates the routes of `/console/v1`: the console's meeting pages for a signed-in user, with a separate quota. */
export const createConsoleRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/console/v1",
  router: consoleRouter,
  authenticate: async (request) => {
    const { user, quota } = await authenticateUser(dependencies, request, "console");
    return {
      headers: toQuotaHeaders(quota),
      authorize: (): Context => {
        requireQuota(quota);
        return { db: dependencies.db, caller: user, services: dependencies };
      },
    };
  },
  limits: { deadline: dependencies.deadline },
});
