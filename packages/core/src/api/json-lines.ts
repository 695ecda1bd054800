import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { toErrorResponse } from "../errors.js";
import type { Codec } from "./codec.js";
import { COMMON_HEADERS, createDeadline } from "./response.js";

/** The result of a procedure that handles several items in one call, each of which succeeds or fails on its own. */
export class JsonLines {
  /** Items run one after another. An item that has not started uses no memory. */
  constructor(readonly items: Iterable<() => Promise<unknown>>) {}
}

/**
 * Streams one line of JSON per item in order, as soon as it is done: the response of a single call, or
 * `{"status":…,"error":"…"}`. If the client disconnects, the remaining items are skipped.
 * @param deadline timeout of each item in ms
 * @returns the first fault of the service, for the log, or null
 */
export async function sendJsonLines(
  response: ServerResponse,
  headers: Record<string, string | string[]>,
  { items }: JsonLines,
  { deadline, codec }: { readonly deadline: number; readonly codec: Codec },
): Promise<string | null> {
  let fault: string | null = null;
  response.writeHead(200, {
    ...COMMON_HEADERS,
    ...headers,
    "Content-Type": "application/jsonl; charset=utf-8",
  });
  for (const item of items) {
    if (response.destroyed) break;
    let line: string;
    try {
      line = codec.writePayload(await createDeadline(deadline)(item()));
    } catch (error) {
      const refusal = toErrorResponse(error);
      fault ??= refusal.fault;
      line = JSON.stringify({ status: refusal.status, error: refusal.message });
    }
    // Backpressure: a slow client delays the work instead of filling memory.
    if (!response.write(`${line}\n`) && !response.destroyed) {
      await Promise.race([once(response, "drain"), once(response, "close")]);
    }
  }
  response.end();
  return fault;
}
