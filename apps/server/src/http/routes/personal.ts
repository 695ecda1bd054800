import { meRouter, type RouteSet } from "@minutes/core";
import { readKeyHeader, toAdmission, verifyApiKey } from "./api-keys.js";
import type { AppServices } from "./services.js";

/** Creates the routes of `/v1/me` for personal keys. */
export const createPersonalRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/v1/me",
  router: meRouter,
  authenticate: async (request) =>
    toAdmission(dependencies, await verifyApiKey(dependencies, request, readKeyHeader(request)), "personal"),
  limits: { deadline: dependencies.deadline },
});
