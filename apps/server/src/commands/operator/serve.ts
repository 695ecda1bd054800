import type { IncomingMessage, RequestListener } from "node:http";
import { finished } from "node:stream/promises";
import { createRouteHandler } from "@minutes/core";
import { operatorRouter } from "../procedures/router.js";
import { type OperatorContext, toCallContext } from "./procedures.js";
import { readActingAs } from "./request.js";

/** Maximum body size in bytes: enough for a meeting of many hours, and still a valid JavaScript string. */
const BODY_BYTES = 2 ** 29;
/** Maximum delay of a timer in ms: operator calls have no deadline. */
const NO_DEADLINE = 2 ** 31 - 1;

export interface OperatorServer {
  readonly listener: RequestListener;
  /** Stops accepting calls; resolves when running calls are answered. */
  stop(): Promise<void>;
}

/**
 * Serves the operator router on the Unix socket of the data directory's lock. Only the owner of the data can connect to
 * that socket, so every call has the operator's permissions. `onFault` receives a loggable description of a fault.
 */
export function serveOperator(
  context: OperatorContext,
  onFault: (fault: string, request: IncomingMessage) => void,
): OperatorServer {
  const handle = createRouteHandler(
    {
      path: "/",
      router: operatorRouter,
      authenticate: async (request) => ({
        headers: {},
        authorize: () => toCallContext(context, readActingAs(request)),
      }),
      limits: { deadline: NO_DEADLINE, bodyBytes: BODY_BYTES },
    },
    ({ fault }, request) => {
      if (fault !== null) onFault(fault, request);
    },
  );
  const running = new Set<Promise<unknown>>();
  let stopped = false;
  const listener: RequestListener = (request, response) => {
    if (stopped) return void response.writeHead(503).end();
    const call = handle(request, response)
      .then(() => finished(response))
      .catch(() => {}) // the caller disconnected
      .finally(() => running.delete(call));
    running.add(call);
  };
  const stop = async () => {
    stopped = true;
    await Promise.all(running);
  };
  return { listener, stop };
}
