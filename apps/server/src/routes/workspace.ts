import { type RouteSet, workspaceRouter } from "@minutes/core";
import { admit, verifyApiKey } from "./api-keys.js";
import type { RouteDependencies } from "./dependencies.js";

/** Describes `/v1/workspace`: what a workspace key reaches. */
export const describeWorkspaceRoutes = (dependencies: RouteDependencies): RouteSet => ({
  path: "/v1/workspace",
  router: workspaceRouter,
  authenticate: async (request) =>
    admit(dependencies, await verifyApiKey(dependencies, request), "workspace"),
  limits: { deadline: dependencies.deadline },
});
