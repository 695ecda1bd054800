import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { MESSAGES } from "@minutes/contract";
import { sendResponse, toErrorBody } from "@minutes/core";
import type { Metrics } from "./metrics.js";

/** Answers a request for metrics. */
export type MetricsHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Creates the handler that serves metrics. If a token is set, requests without it get the 404 of an unknown path. A
 * failed scrape is answered with 500 and reported to `onFault`.
 */
export function createMetricsHandler(
  metrics: Metrics,
  token: string | undefined,
  onFault: (error: unknown, request: IncomingMessage) => void,
): MetricsHandler {
  const expected = token === undefined ? null : toDigest(token);
  return (request, response) => {
    if (request.method !== "GET" || !(expected === null || hasToken(request, expected)))
      return sendResponse(response, 404, {}, toErrorBody(MESSAGES.notFound));
    metrics.scrape().then(
      (text) => sendResponse(response, 200, { "Content-Type": metrics.contentType }, text),
      (error) => {
        onFault(error, request);
        sendResponse(response, 500, {}, toErrorBody(MESSAGES.internal));
      },
    );
  };
}

const toDigest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Compares the bearer token in constant time. */
function hasToken({ headers }: IncomingMessage, expected: Buffer): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(toDigest(sent), expected);
}

/** Creates the server of `METRICS_PORT`: `/metrics`, and 404 for every other path. */
export function createMetricsServer(handle: MetricsHandler): Server {
  return createServer((request, response) => {
    if (request.url?.split("?")[0] === "/metrics") handle(request, response);
    else sendResponse(response, 404, {}, toErrorBody(MESSAGES.notFound));
  });
}
