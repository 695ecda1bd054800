import type { IncomingMessage, RequestListener } from "node:http";
import { type CallRecord, getRequestId, type Refusal } from "@minutes/core";
import { findRoute } from "./routes.js";

/** One answered request, for the access log and for metrics. No field can hold content, a key or an address. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** A known route, such as `/v1/me` or `/docs`; `other` for every other path. */
  readonly route: string;
  /** A known procedure of the route, or null. */
  readonly procedure: string | null;
  /** 499: the client was gone before it was answered. */
  readonly status: number;
  readonly refusal: Refusal | null;
  readonly milliseconds: number;
  /** Bytes of the answer with its headers. */
  readonly bytes: number;
}

/** What the client's own departure is counted as, as proxies do. */
const CLIENT_CLOSED = 499;

/** Holds what a request turned out to be. A property costs less than a weak map, which each garbage collection walks. */
const CALL = Symbol("call");

type ObservedRequest = IncomingMessage & { [CALL]?: CallRecord };

/** Observes the requests that a listener answers. */
export interface AnswerObserver {
  /** Tells what a request turned out to be, before its answer has ended. */
  readonly onCall: (call: CallRecord, request: IncomingMessage) => void;
  /** Wraps the listener that answers. */
  readonly wrap: (listener: RequestListener) => RequestListener;
}

/**
 * Creates an observer of answers.
 * @param routeSets Paths of the route sets, such as `/v1/me`.
 * @param onAnswer Called once an answer has been sent or cut off.
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
