import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { answerFor } from "../errors.js";
import { COMMON_HEADERS, deadline } from "./answer.js";
import { sealEnvelope } from "./envelope.js";

/** The answer of a procedure that does several things in one call, each of which succeeds or fails for itself. */
export class Lines {
  /** Run one after another; nothing of one that has not begun is held in memory. */
  constructor(readonly items: Iterable<() => Promise<unknown>>) {}
}

/**
 * Streams one line of JSON per item, in their order, each as soon as it is known: the envelope of a single call's
 * answer, or `{"status":…,"error":"…"}`, since the answer's own status is spent. When the caller goes away, the
 * rest is left undone.
 * @returns what the log may say about the first fault of ours, or null.
 */
export async function sendLines(
  response: ServerResponse,
  headers: Record<string, string>,
  { items }: Lines,
  milliseconds: number,
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
      line = sealEnvelope(await deadline(milliseconds)(item()));
    } catch (error) {
      const answered = answerFor(error);
      fault ??= answered.fault;
      line = JSON.stringify({ status: answered.status, error: answered.message });
    }
    // A caller who reads slowly slows the work down instead of filling memory.
    if (!response.write(`${line}\n`) && !response.destroyed) {
      await Promise.race([once(response, "drain"), once(response, "close")]);
    }
  }
  response.end();
  return fault;
}
