import { RESOURCES } from "@minutes/contract";
import { myRestRouter, REST_CODEC, type RouteSet, workspaceRestRouter } from "@minutes/core";
import { readKeyOrBearer, toAdmission, verifyApiKey } from "./api-keys.js";
import type { AppServices } from "./services.js";

/** Creates the resources of a personal key, `/rest/v1/me`. */
export const createPersonalResources = (dependencies: AppServices): RouteSet => ({
  ...createResources(dependencies, "personal"),
  path: "/rest/v1/me",
  router: myRestRouter,
});

/** Creates the resources of a workspace key, `/rest/v1/workspace`. */
export const createWorkspaceResources = (dependencies: AppServices): RouteSet => ({
  ...createResources(dependencies, "workspace"),
  path: "/rest/v1/workspace",
  router: workspaceRestRouter,
});

/** Serves some procedures of a route set as resources, below `/rest/v1` or one of its kinds of key. */
export const toResources = (
  { limits }: RouteSet,
  base: "/rest/v1" | "/rest/v1/me" | "/rest/v1/workspace",
  section: string,
  rest: Pick<RouteSet, "router" | "authenticate">,
): RouteSet => ({
  ...rest,
  path: `${base}${section}`,
  section,
  codec: REST_CODEC,
  resources: RESOURCES,
  limits,
});

const createResources = (dependencies: AppServices, kind: "personal" | "workspace") =>
  ({
    codec: REST_CODEC,
    resources: RESOURCES,
    authenticate: async (request) =>
      toAdmission(dependencies, await verifyApiKey(dependencies, request, readKeyOrBearer(request)), kind),
    limits: { deadline: dependencies.deadline },
  }) satisfies Omit<RouteSet, "path" | "router">;
