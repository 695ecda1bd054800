import {
  authenticateUser,
  type RouteSet,
  requireQuota,
  type SettingsContext,
  settingsRouter,
  toQuotaHeaders,
} from "@minutes/core";
import type { RouteDependencies } from "./dependencies.js";

/** `/settings/v1`: what a signed-in user reaches. */
export const settingsRoutes = (dependencies: RouteDependencies): RouteSet => {
  const { db, rateLimit, signedIn, webhooks, deadline } = dependencies;
  return {
    path: "/settings/v1",
    router: settingsRouter,
    authenticate: async ({ headers }) => {
      const { user, quota } = await authenticateUser(db, signedIn, headers.authorization, rateLimit);
      return {
        headers: toQuotaHeaders(quota),
        context: (): SettingsContext => {
          requireQuota(quota);
          return { db, user, webhooks };
        },
      };
    },
    limits: { deadline },
  };
};
