import { RESOURCES } from "@minutes/contract";
import { myResourceRouter, REST_CODEC, type RouteSet, workspaceResourceRouter } from "@minutes/core";
import { readKeyOrBearer, toAdmission, verifyApiKey } from "./api-keys.js";
import type { AppServices } from "./services.js";

/** Creates the resources of a personal key, `/rest/v1/me`. */
export const createPersonalResources = (dependencies: AppServices): RouteSet => ({
  ...createResources(dependencies, "personal"),
  path: "/rest/v1/me",
  router: myResourceRouter,
});

/** Creates the resources of a workspace key, `/rest/v1/workspace`. */
export const createWorkspaceResources = (dependencies: AppServices): RouteSet => ({
  ...createResources(dependencies, "workspace"),
  path: "/rest/v1/workspace",
  router: workspaceResourceRouter,
});

const createResources = (dependencies: AppServices, kind: "personal" | "workspace") =>
  ({
    codec: REST_CODEC,
    resources: RESOURCES,
    authenticate: async (request) =>
      toAdmission(dependencies, await verifyApiKey(dependencies, request, readKeyOrBearer(request)), kind),
    limits: { deadline: dependencies.deadline },
  }) satisfies Omit<RouteSet, "path" | "router">;
