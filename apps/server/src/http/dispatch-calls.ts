import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Express } from "express";
import proxyAddr from "proxy-addr";

/** Answers one call of a route set. `request.url` is relative to its path. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers calls of route sets directly and passes everything else to Express. Express serves the same handlers under
 * the same paths, but its overhead would be a fifth of the CPU time of a list.
 * @param handlers by path, such as `/v1/me`
 * @see docs/decisions/0181-dispatch-before-express.md
 */
export function answerDirectly(app: Express, handlers: ReadonlyMap<string, RouteHandler>): RequestListener {
  const routes = [...handlers].map(([path, handle]) => ({ prefix: `${path}/`, length: path.length, handle }));
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  return (request, response) => {
    const url = request.url ?? "/";
    const route = routes.find(({ prefix }) => url.startsWith(prefix));
    if (!route) return app(request, response);
    // Sets what Express sets for its handlers.
    request.url = url.slice(route.length);
    (request as { ip?: string }).ip = proxyAddr(request, isTrusted);
    route.handle(request, response);
  };
}
