import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Express } from "express";
import proxyAddr from "proxy-addr";

/** Answers one call of a route set. `request.url` is relative to its path. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Dispatches calls, which are the path of a route set, or that and one segment, such as `/v1/me/meetings.list`. Passes everything
 * else to Express, where the same handlers are mounted. Through Express, a list takes 40 to 50 % more CPU time.
 * @param handlers by path, such as `/v1/me`
 * @see docs/decisions/0003-http-handler.md
 */
export function dispatchCalls(app: Express, handlers: ReadonlyMap<string, RouteHandler>): RequestListener {
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  return (request, response) => {
    const url = request.url ?? "/";
    const query = url.indexOf("?");
    const end = query === -1 ? url.length : query;
    const slash = url.lastIndexOf("/", end);
    const whole = handlers.get(url.slice(0, end));
    const handle = whole ?? handlers.get(url.slice(0, slash));
    if (!handle) return app(request, response);
    // Sets what Express sets for its handlers.
    request.url = whole ? `/${url.slice(end)}` : url.slice(slash);
    (request as { ip?: string }).ip = proxyAddr(request, isTrusted);
    handle(request, response);
  };
}
