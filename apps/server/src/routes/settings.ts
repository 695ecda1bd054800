import type { IncomingMessage } from "node:http";
import {
  authenticateSession,
  type RouteSet,
  requireQuota,
  type SettingsContext,
  settingsRouter,
  toQuotaHeaders,
} from "@minutes/core";
import { checkCredentialOf } from "./api-keys.js";
import type { RouteDependencies } from "./dependencies.js";

/**
 * Reads the session token of a request, `Authorization: Bearer <token>`.
 * @returns undefined without that header, and a text that is no token for another scheme.
 */
function readSessionToken({ headers }: IncomingMessage): string | undefined {
  if (!headers.authorization) return undefined;
  return /^Bearer (\S+)$/i.exec(headers.authorization)?.[1] ?? "-";
}

/** `/settings/v1`: what a signed-in user reaches. */
export const settingsRoutes = (dependencies: RouteDependencies): RouteSet => {
  const { db, rateLimit, webhooks, deadline } = dependencies;
  return {
    path: "/settings/v1",
    router: settingsRouter,
    authenticate: async (request) => {
      const { user, quota } = await authenticateSession(
        db,
        readSessionToken(request),
        "settings",
        rateLimit,
        checkCredentialOf(dependencies, request),
      );
      return {
        headers: toQuotaHeaders(quota),
        context: (): SettingsContext => {
          requireQuota(quota);
          return { db, actor: { kind: "user", userId: user.userId }, user, webhooks };
        },
      };
    },
    limits: { deadline },
  };
};
