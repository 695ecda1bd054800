import { type RouteSet, workspaceRouter } from "@minutes/core";
import { readKeyHeader, toAdmission, verifyApiKey } from "./api-keys.js";
import type { AppServices } from "./services.js";

/** Creates the routes of `/v1/workspace` for workspace keys. */
export const createWorkspaceRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/v1/workspace",
  router: workspaceRouter,
  authenticate: async (request) =>
    toAdmission(dependencies, await verifyApiKey(dependencies, request, readKeyHeader(request)), "workspace"),
  limits: { deadline: dependencies.deadline },
});
