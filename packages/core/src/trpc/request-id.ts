import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The header that names a request, in requests and in answers. */
export const REQUEST_ID_HEADER = "X-Request-Id";

/** Ids of clients and proxies that are kept. No key of Minutes fits: they have an underscore. Nor does an e-mail address. */
const SAFE_ID = /^[A-Za-z0-9.:;=-]{1,64}$/;

const REQUEST_ID = Symbol("request id");

/**
 * Returns the id of a request: the one that came with it, if it has at most 64 safe characters, otherwise a new one. It
 * stays the same for the whole request, and is in its answer and its log lines.
 * @see docs/decisions/0191-request-ids-and-traces.md
 */
export function getRequestId(request: IncomingMessage & { [REQUEST_ID]?: string }): string {
  request[REQUEST_ID] ??= readRequestId(request) ?? randomUUID();
  return request[REQUEST_ID];
}

function readRequestId({ headers }: IncomingMessage): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && SAFE_ID.test(id) ? id : undefined;
}
