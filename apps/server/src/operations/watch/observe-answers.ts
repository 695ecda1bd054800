import type { IncomingMessage, RequestListener } from "node:http";
import { type CallRecord, getRequestId, type RefusalCause } from "@minutes/core";
import type { Logger } from "pino";

/** An answered request, for the access log and metrics. No field can contain content, a key or an address. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** A known route, such as `/v1/me` or `/docs`; `other` for every other path. */
  readonly route: string;
  /** A known procedure of the route, or null. */
  readonly procedure: string | null;
  /** 499: the client disconnected before it was answered. */
  readonly status: number;
  readonly refusal: RefusalCause | null;
  readonly milliseconds: number;
  /** Bytes of the answer, including headers. */
  readonly bytes: number;
}

/** Status for a client that disconnected, as used by proxies. */
const CLIENT_CLOSED = 499;

/** Property with the details of a request. It is cheaper than a weak map, which each garbage collection walks. */
const CALL = Symbol("call");

type ObservedRequest = IncomingMessage & { [CALL]?: CallRecord };

/** Observes the requests answered by a listener. */
export interface AnswerObserver {
  /** Called with the details of a request before its answer has ended. */
  readonly onCall: (call: CallRecord, request: IncomingMessage) => void;
  /** Wraps the answering listener. */
  readonly wrap: (listener: RequestListener) => RequestListener;
}

/**
 * Creates an observer of answers.
 * @param routeSets paths of the route sets, such as `/v1/me`
 * @param onAnswer called once an answer has been sent or cut off
 */
export function createAnswerObserver(
  routeSets: readonly string[],
  onAnswer: (answer: AnsweredRequest, request: IncomingMessage) => void,
): AnswerObserver {
  return {
    onCall: (call, request: ObservedRequest) => {
      request[CALL] = call;
    },
    wrap: (listener) => (request: ObservedRequest, response) => {
      const started = performance.now();
      const { socket, method = "", url = "/" } = request;
      const written = socket.bytesWritten;
      response.once("close", () => {
        const call = request[CALL];
        const answer = {
          requestId: getRequestId(request),
          method,
          route: findRoute(routeSets, url),
          procedure: call?.procedure ?? null,
          status: response.headersSent ? response.statusCode : CLIENT_CLOSED,
          refusal: call?.refusal ?? null,
          milliseconds: performance.now() - started,
          bytes: socket.bytesWritten - written,
        };
        onAnswer(answer, request);
      });
      listener(request, response);
    },
  };
}

/** Routes other than route sets. One that ends with `/` includes everything below it. */
const OTHER_ROUTES = [
  "/identity/v1/oidc/",
  "/mcp",
  "/mcp/key",
  "/oauth/",
  "/.well-known/",
  "/health",
  "/ready",
  "/metrics",
  "/openapi.json",
  "/docs",
  "/docs/",
  "/assets/",
];

/**
 * Returns the known route of a request target without its query. All unknown paths, which anyone can invent, are
 * `other`.
 */
function findRoute(routeSets: readonly string[], target: string): string {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  for (const route of OTHER_ROUTES)
    if (route.endsWith("/") ? path.startsWith(route) : path === route) return route;
  for (const route of routeSets)
    if (path.startsWith(route) && (path.length === route.length || path[route.length] === "/")) return route;
  return "other";
}

/** Returns the template of a request's path: its route, and its procedure if known. */
export const toTemplate = (route: string, procedure: string | null): string =>
  procedure === null ? route : `${route}/${procedure}`;

/** Logs each answered request with its route and procedure, never with query, body, key or client. */
export const createAccessLog =
  (log: Logger) =>
  ({ requestId, method, route, procedure, status, milliseconds, bytes }: AnsweredRequest): void =>
    log.info(
      { requestId, method, route: toTemplate(route, procedure), status, ms: Math.round(milliseconds), bytes },
      "request",
    );
