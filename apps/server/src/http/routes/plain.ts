import { PLAIN_CODEC, type RouteSet } from "@minutes/core";
import { createPersonalRoutes } from "./personal.js";
import type { AppServices } from "./services.js";
import { createWorkspaceRoutes } from "./workspace.js";

/** Creates the routes of `/rest/v1/me`: the procedures of `/v1/me` in plain HTTP. */
export const createPlainPersonalRoutes = (dependencies: AppServices): RouteSet => ({
  ...createPersonalRoutes(dependencies),
  path: "/rest/v1/me",
  codec: PLAIN_CODEC,
});

/** Creates the routes of `/rest/v1/workspace`: the procedures of `/v1/workspace` in plain HTTP. */
export const createPlainWorkspaceRoutes = (dependencies: AppServices): RouteSet => ({
  ...createWorkspaceRoutes(dependencies),
  path: "/rest/v1/workspace",
  codec: PLAIN_CODEC,
});
