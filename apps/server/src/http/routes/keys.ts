import {
  type Caller,
  meRouter,
  myRestRouter,
  type RouteSet,
  workspaceRestRouter,
  workspaceRouter,
} from "@minutes/core";
import { readKeyHeader, requireKeyOrBearer, toAdmission, verifyApiKey } from "./api-keys.js";
import { toResources } from "./rest.js";
import type { AppServices } from "./services.js";

/** Creates the routes of API keys: `/v1/me` and `/v1/workspace`, and their resources `/rest/v1/me` and `/rest/v1/workspace`. */
export const createKeyRoutes = (dependencies: AppServices): RouteSet[] => [
  ...serveKeys(dependencies, "me", "user", { api: meRouter, rest: myRestRouter }),
  ...serveKeys(dependencies, "workspace", "workspace", { api: workspaceRouter, rest: workspaceRestRouter }),
];

function serveKeys(
  dependencies: AppServices,
  name: "me" | "workspace",
  kind: Caller["kind"],
  routers: Readonly<Record<"api" | "rest", RouteSet["router"]>>,
): RouteSet[] {
  const admitWith =
    (readKey: typeof readKeyHeader): RouteSet["authenticate"] =>
    async (request) =>
      toAdmission(dependencies, await verifyApiKey(dependencies, request, readKey(request)), kind);
  const routes: RouteSet = {
    path: `/v1/${name}`,
    router: routers.api,
    authenticate: admitWith(readKeyHeader),
    limits: { deadline: dependencies.deadline },
  };
  const resources = { router: routers.rest, authenticate: admitWith(requireKeyOrBearer) };
  return [routes, toResources(routes, `/rest/v1/${name}`, "", resources)];
}
