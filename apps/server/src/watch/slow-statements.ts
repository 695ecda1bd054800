import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestId } from "@minutes/core";
import type { StatementObserver } from "@minutes/db";
import type { Logger } from "pino";

/** Logs statements that take long. */
export interface SlowStatementLog {
  readonly onStatement: StatementObserver;
  /** Wraps the listener that answers, so that a line has the id of the request that ran the statement. */
  readonly wrap: (listener: RequestListener) => RequestListener;
}

/**
 * Logs the name of each statement that takes `limit` milliseconds or longer, never its text or parameters. Following a
 * request through the code costs a part of each call, so that this is made only where it is asked for.
 */
export function createSlowStatementLog(log: Logger, limit: number): SlowStatementLog {
  const requests = new AsyncLocalStorage<IncomingMessage>();
  return {
    wrap: (listener) => (request, response) => requests.run(request, listener, request, response),
    onStatement: ({ name, milliseconds, failed }) => {
      if (milliseconds < limit) return;
      const request = requests.getStore();
      const requestId = request && getRequestId(request);
      log.warn({ requestId, statement: name, ms: Math.round(milliseconds), failed }, "slow statement");
    },
  };
}
