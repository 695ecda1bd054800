import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestId } from "@minutes/core";
import type { StatementObserver } from "@minutes/db";
import type { Logger } from "pino";

/** Logs slow statements. */
export interface SlowStatementLog {
  readonly onStatement: StatementObserver;
  /** Wraps the answering listener, so that log lines have the ID of the request that ran the statement. */
  readonly wrap: (listener: RequestListener) => RequestListener;
}

/**
 * Logs the name of each statement that takes `limit` ms or longer, never its text or parameters. Tracking requests
 * through the code slows each call slightly, so it is created only on demand.
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
