/** Routes besides the route sets. One that ends with `/` stands for everything below it. */
const OTHER_ROUTES = [
  "/identity/v1/oidc/",
  "/mcp",
  "/health",
  "/ready",
  "/metrics",
  "/openapi.json",
  "/docs",
  "/docs/",
  "/assets/",
];

/**
 * Finds the known route that a request target belongs to, without its query; `other` when there is none, so that paths
 * that anybody can invent are one route.
 */
export function findRoute(routeSets: readonly string[], target: string): string {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  for (const route of OTHER_ROUTES)
    if (route.endsWith("/") ? path.startsWith(route) : path === route) return route;
  for (const route of routeSets)
    if (path.startsWith(route) && (path.length === route.length || path[route.length] === "/")) return route;
  return "other";
}

/** Writes the template of a request's path: its route, and its procedure where it is a known one. */
export const toTemplate = (route: string, procedure: string | null): string =>
  procedure === null ? route : `${route}/${procedure}`;
