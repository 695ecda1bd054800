import {
  consoleRouter,
  type PersonalContext,
  type RouteSet,
  requireQuota,
  toQuotaHeaders,
} from "@minutes/core";
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
      authorize: (): PersonalContext => {
        requireQuota(quota);
        // The audit log names the user instead of a key.
        const caller = { kind: "personal", userId: user.userId, keyId: user.userId } as const;
        const { db, similarity, model } = dependencies;
        return { db, similarity, model, caller };
      },
    };
  },
  limits: { deadline: dependencies.deadline },
});
