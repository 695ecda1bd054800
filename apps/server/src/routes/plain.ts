import { PLAIN_WIRE, type RouteSet } from "@minutes/core";
import type { RouteDependencies } from "./dependencies.js";
import { describePersonalRoutes } from "./personal.js";
import { describeWorkspaceRoutes } from "./workspace.js";

/** Describes `/rest/v1/me`: the procedures of `/v1/me` in plain HTTP. */
export const describePlainPersonalRoutes = (dependencies: RouteDependencies): RouteSet => ({
  ...describePersonalRoutes(dependencies),
  path: "/rest/v1/me",
  wire: PLAIN_WIRE,
});

/** Describes `/rest/v1/workspace`: the procedures of `/v1/workspace` in plain HTTP. */
export const describePlainWorkspaceRoutes = (dependencies: RouteDependencies): RouteSet => ({
  ...describeWorkspaceRoutes(dependencies),
  path: "/rest/v1/workspace",
  wire: PLAIN_WIRE,
});
