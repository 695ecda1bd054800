import type { RequestListener } from "node:http";
import { MESSAGES } from "@minutes/contract";
import {
  getRequestId,
  REQUEST_ID_HEADER,
  RETRY_AFTER_SECONDS,
  sendResponse,
  toErrorBody,
} from "@minutes/core";
import type { ConnectionLimits } from "./connection-limits.js";
import { createDrainable, type Drainable } from "./drain.js";
import { createHttpServer } from "./http-server.js";

/** A server that can listen before there is an app. */
export interface Entrance extends Drainable {
  /** Answers with the app from now on. */
  open(app: RequestListener): void;
}

/** Creates a server that answers 503 until it is opened. @see docs/decisions/0012-graceful-shutdown.md */
export function createEntrance(limits: ConnectionLimits): Entrance {
  let answer = answerWhileStarting;
  const listener: RequestListener = (request, response) => answer(request, response);
  return {
    ...createDrainable(listener, (drained) => createHttpServer(drained, limits)),
    open: (app) => {
      answer = app;
    },
  };
}

const PROBED = /^\/(health|ready)($|\?)/;
const SECONDS = String(RETRY_AFTER_SECONDS);

const answerWhileStarting: RequestListener = (request, response) => {
  const body = PROBED.test(request.url ?? "")
    ? JSON.stringify({ status: "starting" })
    : toErrorBody(MESSAGES.starting);
  // Programs look at the first, browsers at the second.
  const again = { "Retry-After": SECONDS, Refresh: SECONDS };
  sendResponse(response, 503, { [REQUEST_ID_HEADER]: getRequestId(request), ...again }, body);
};
