import type { RequestListener } from "node:http";
import { finished } from "node:stream/promises";
import { createRouteHandler } from "@minutes/core";
import type { OperatorContext } from "./procedures.js";
import { operatorRouter } from "./router.js";

/** Bytes of the longest body: a meeting of many hours fits, and JavaScript can still hold it as one string. */
const BODY_BYTES = 2 ** 29;
/** Milliseconds of the longest timer: the operator's calls have no deadline. */
const NO_DEADLINE = 2 ** 31 - 1;

export interface OperatorServer {
  readonly listener: RequestListener;
  /** Accepts no more calls; resolves when the calls under way are answered. */
  stop(): Promise<void>;
}

/**
 * Serves the operator router on the Unix socket of the data directory's lock. Only the owner of the data can connect
 * to that socket, so every call has the operator's rights. `onFault` receives what the log may say about a fault.
 */
export function serveOperator(context: OperatorContext, onFault: (fault: string) => void): OperatorServer {
  const handle = createRouteHandler(
    {
      path: "/",
      router: operatorRouter,
      authenticate: async () => ({ headers: {}, context: () => context }),
      limits: { deadline: NO_DEADLINE, bodyBytes: BODY_BYTES },
    },
    ({ fault }) => {
      if (fault !== null) onFault(fault);
    },
  );
  const running = new Set<Promise<unknown>>();
  let stopped = false;
  const listener: RequestListener = (request, response) => {
    if (stopped) return void response.writeHead(503).end();
    const call = handle(request, response)
      .then(() => finished(response))
      .catch(() => {}) // the caller went away
      .finally(() => running.delete(call));
    running.add(call);
  };
  const stop = async () => {
    stopped = true;
    await Promise.all(running);
  };
  return { listener, stop };
}
