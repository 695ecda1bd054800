import { REST_ROUTES } from "@minutes/contract/operations";
import { REST_CODEC, type RouteSet } from "@minutes/core";

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
  resources: REST_ROUTES,
  limits,
});
