import {
  type RouteSet,
  requireQuota,
  type SettingsContext,
  settingsRouter,
  toPasskeySite,
  toQuotaHeaders,
} from "@minutes/core";
import type { RouteDependencies } from "./dependencies.js";
import { authenticateUser, toVisitor } from "./session.js";

/** Describes `/settings/v1`: what a signed-in user reaches. */
export const describeSettingsRoutes = (dependencies: RouteDependencies): RouteSet => {
  const { db, webhooks, deadline, publicUrl, mailer, requests, signIn } = dependencies;
  return {
    path: "/settings/v1",
    router: settingsRouter,
    authenticate: async (request) => {
      const { user, quota } = await authenticateUser(dependencies, request, "settings");
      return {
        headers: toQuotaHeaders(quota),
        context: (): SettingsContext => {
          requireQuota(quota);
          const actor = { kind: "user", userId: user.userId } as const;
          const { address } = toVisitor(request);
          const url = publicUrl();
          const passkeySite = signIn.includes("passkey") ? toPasskeySite(url) : null;
          return { db, actor, user, webhooks, address, publicUrl: url, mailer, passkeySite, requests };
        },
      };
    },
    limits: { deadline },
  };
};
