import type { ServerResponse } from "node:http";
import { Deadline, yieldToEventLoop } from "@minutes/db";
import { BusyError } from "../lib/errors.js";
import { isInPieces, splitText } from "./long-answers.js";

/** Headers of every API response: private to one caller, never cached, and JSON even if a browser guesses otherwise. */
export const COMMON_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/**
 * Creates the deadline of a call, after which it is answered with 503. Time the client takes to send its body does not
 * count; the HTTP server limits that.
 */
export const createDeadline = (milliseconds: number): Deadline =>
  new Deadline(milliseconds, () => new BusyError("deadline"));

/** Formats the body of an error response, `{"error":"…"}`. */
export const toErrorBody = (message: string): string => JSON.stringify({ error: message });

/** Sends a response, unless the client is gone or already has one. */
export function sendResponse(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | string[]>,
  body: string,
): void {
  if (response.destroyed || response.headersSent) return;
  const all: Record<string, string | string[] | number> = {
    ...COMMON_HEADERS,
    ...headers,
    "Content-Length": Buffer.byteLength(body),
  };
  if (status === 304) {
    delete all["Content-Type"];
    delete all["Content-Length"];
  }
  response.writeHead(status, all);
  if (isInPieces(body)) void sendPieces(response, body);
  else response.end(body);
}

/** Sends a long body. Encoding and copying it at once would hold the event loop. */
async function sendPieces(response: ServerResponse, body: string): Promise<void> {
  const gone = new Promise((resolve) => response.once("close", resolve));
  for (const piece of splitText(body)) {
    response.write(piece);
    await yieldToEventLoop();
    if (response.writableNeedDrain)
      await Promise.race([gone, new Promise((resolve) => response.once("drain", resolve))]);
    if (response.destroyed) return;
  }
  response.end();
}
