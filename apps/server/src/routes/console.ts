import {
  consoleRouter,
  type PersonalContext,
  type RouteSet,
  requireQuota,
  toQuotaHeaders,
} from "@minutes/core";
import type { RouteDependencies } from "./dependencies.js";
import { authenticateUser } from "./session.js";

/** Describes `/console/v1`: the console's meeting pages for a signed-in person, with a quota of their own. */
export const describeConsoleRoutes = (dependencies: RouteDependencies): RouteSet => ({
  path: "/console/v1",
  router: consoleRouter,
  authenticate: async (request) => {
    const { user, quota } = await authenticateUser(dependencies, request, "console");
    return {
      headers: toQuotaHeaders(quota),
      context: (): PersonalContext => {
        requireQuota(quota);
        // The audit log names the person where it names the key of a program.
        const caller = { kind: "personal", userId: user.userId, keyId: user.userId } as const;
        return { db: dependencies.db, similarity: dependencies.similarity, caller };
      },
    };
  },
  limits: { deadline: dependencies.deadline },
});
