import {
  accountRouter,
  type RouteSet,
  requireQuota,
  type SettingsContext,
  toPasskeySite,
  toQuotaHeaders,
} from "@minutes/core";
import type { AppServices } from "./services.js";
import { authenticateUser, toVisitor } from "./session.js";

/** Creates the routes of `/settings/v1` for signed-in users. */
export const createSettingsRoutes = (dependencies: AppServices): RouteSet => {
  const { db, webhooks, deadline, publicUrl, mailer, requests, signIn } = dependencies;
  return {
    path: "/settings/v1",
    router: accountRouter,
    authenticate: async (request) => {
      const { user, quota } = await authenticateUser(dependencies, request, "settings");
      return {
        headers: toQuotaHeaders(quota),
        authorize: (): SettingsContext => {
          requireQuota(quota);
          const actor = { kind: "user", userId: user.userId } as const;
          const url = publicUrl();
          const visitor = toVisitor(dependencies, request);
          const passkeySite = signIn.includes("passkey") ? toPasskeySite(url) : null;
          return { db, actor, user, webhooks, visitor, publicUrl: url, mailer, passkeySite, requests };
        },
      };
    },
    limits: { deadline },
  };
};
