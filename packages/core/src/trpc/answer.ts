import type { ServerResponse } from "node:http";
import { MESSAGES } from "@minutes/contract";
import { ApiError } from "../errors.js";

/** Headers of every answer: it is one caller's data, and JSON whatever a browser may think. */
export const COMMON_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** Rejects with 503 after `milliseconds`; the statement itself is ended by the database's own timeout. */
export function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ApiError("SERVICE_UNAVAILABLE", MESSAGES.unavailable)),
      milliseconds,
    );
    const settle =
      <V>(pass: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        pass(value);
      };
    work.then(settle(resolve), settle(reject));
  });
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
