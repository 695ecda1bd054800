import type { ServerResponse } from "node:http";
import { MESSAGES } from "@minutes/contract";
import { withTimeout } from "@minutes/db";
import { ApiError } from "../errors.js";

/** Headers of every answer: it is one caller's data, and JSON whatever a browser may think. */
export const COMMON_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/**
 * Gives a call so many milliseconds of our own time; receiving its body is the client's, which the HTTP server limits.
 * What takes longer is answered with 503, and its statement ended by the database's own timeout.
 */
export function deadline(milliseconds: number) {
  let left = milliseconds;
  return async <Result>(work: Promise<Result>): Promise<Result> => {
    const started = performance.now();
    try {
      return await withTimeout(work, left, () => {
        throw new ApiError("SERVICE_UNAVAILABLE", MESSAGES.unavailable);
      });
    } finally {
      left -= performance.now() - started;
    }
  };
}

/** The body of every error, from whatever layer. */
export const errorBody = (message: string): string => JSON.stringify({ error: message });

/** Answers with a body, unless the caller is gone or has been answered. */
export function send(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string,
): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { ...COMMON_HEADERS, ...headers, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}
