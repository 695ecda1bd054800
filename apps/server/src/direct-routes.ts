import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Express } from "express";
import proxyAddr from "proxy-addr";

/** Answers one call of a route set; `request.url` begins below its path. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers the calls of route sets at once, and gives everything else to Express. Express serves the same handlers under
 * the same paths; its own work on a request would take a fifth of the processor time of a list.
 * @param handlers By path, such as `/v1/me`.
 * @see docs/decisions/0181-route-sets-are-answered-before-express.md
 */
export function answerDirectly(app: Express, handlers: ReadonlyMap<string, RouteHandler>): RequestListener {
  const routes = [...handlers].map(([path, handle]) => ({ prefix: `${path}/`, length: path.length, handle }));
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  return (request, response) => {
    const url = request.url ?? "/";
    const route = routes.find(({ prefix }) => url.startsWith(prefix));
    if (!route) return app(request, response);
    // What Express tells its handlers.
    request.url = url.slice(route.length);
    (request as { ip?: string }).ip = proxyAddr(request, isTrusted);
    route.handle(request, response);
  };
}
