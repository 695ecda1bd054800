import type { Logger } from "pino";
import type { AnsweredRequest } from "./observe-answers.js";
import { toTemplate } from "./routes.js";

/** Logs each answered request with its route and procedure, never with query, body, key or client. */
export const createAccessLog =
  (log: Logger) =>
  ({ requestId, method, route, procedure, status, milliseconds, bytes }: AnsweredRequest): void =>
    log.info(
      { requestId, method, route: toTemplate(route, procedure), status, ms: Math.round(milliseconds), bytes },
      "request",
    );
