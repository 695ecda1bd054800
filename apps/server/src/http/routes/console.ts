import {
  consoleRouter,
  type PersonalContext,
  type RouteSet,
  requireQuota,
  toQuotaHeaders,
} from "@minutes/core";
import type { AppServices } from "./services.js";
import { authenticateUser, toSessionCaller } from "./session.js";

/** Creates the routes of `/console/v1`: the console's meeting pages for a signed-in user, with a separate quota. */
export const createConsoleRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/console/v1",
  router: consoleRouter,
  authenticate: async (request) => {
    const { user, quota } = await authenticateUser(dependencies, request, "console");
    return {
      headers: toQuotaHeaders(quota),
      authorize: (): PersonalContext => {
        requireQuota(quota);
        const { db, similarity, model } = dependencies;
        return { db, similarity, model, caller: toSessionCaller(user) };
      },
    };
  },
  limits: { deadline: dependencies.deadline },
});
