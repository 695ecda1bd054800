import { meRouter, type RouteSet } from "@minutes/core";
import { admit, verifyApiKey } from "./api-keys.js";
import type { RouteDependencies } from "./dependencies.js";

/** Describes `/v1/me`: what a personal key reaches. */
export const describePersonalRoutes = (dependencies: RouteDependencies): RouteSet => ({
  path: "/v1/me",
  router: meRouter,
  authenticate: async (request) => admit(dependencies, await verifyApiKey(dependencies, request), "personal"),
  limits: { deadline: dependencies.deadline },
});
