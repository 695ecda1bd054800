import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The header with the request ID, in requests and responses. */
export const REQUEST_ID_HEADER = "X-Request-Id";

/** IDs accepted from clients and proxies. Excludes Minutes' keys, which contain an underscore, and e-mail addresses. */
const SAFE_ID = /^[A-Za-z0-9.:;=-]{1,64}$/;

const REQUEST_ID = Symbol("request id");

/**
 * Returns the ID of a request: the one sent with it, if it has at most 64 safe characters, otherwise a new one. Stays
 * the same for the whole request, in its response and its log lines.
 * @see docs/decisions/0190-observability.md
 */
export function getRequestId(request: IncomingMessage & { [REQUEST_ID]?: string }): string {
  request[REQUEST_ID] ??= readRequestId(request) ?? randomUUID();
  return request[REQUEST_ID];
}

function readRequestId({ headers }: IncomingMessage): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && SAFE_ID.test(id) ? id : undefined;
}
