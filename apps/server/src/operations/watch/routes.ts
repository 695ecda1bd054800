/** Routes other than route sets. One that ends with `/` includes everything below it. */
const OTHER_ROUTES = [
  "/identity/v1/oidc/",
  "/mcp",
  "/mcp/key",
  "/oauth/",
  "/.well-known/",
  "/health",
  "/ready",
  "/metrics",
  "/openapi.json",
  "/docs",
  "/docs/",
  "/assets/",
];

/**
 * Returns the known route of a request target without its query. All unknown paths, which anyone can invent, are
 * `other`.
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

/** Returns the template of a request's path: its route, and its procedure if known. */
export const toTemplate = (route: string, procedure: string | null): string =>
  procedure === null ? route : `${route}/${procedure}`;
