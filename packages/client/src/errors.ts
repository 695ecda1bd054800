import { TRPCClientError } from "@trpc/client";
import type { MeRouter } from "./routers.js";

/** What kind of failure it was; unlike messages, codes don't change within a major version. */
export type MinutesErrorCode =
  | "bad_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  /** A cursor of the change feed is no longer valid: start again without one. */
  | "gone"
  | "rate_limited"
  | "internal"
  | "unavailable"
  /** Another 4xx: wrong method, media type or size. */
  | "refused"
  /** No answer came: no connection, or one that broke. */
  | "network"
  | "timeout"
  | "aborted"
  /** Something answered that is not this service, such as a proxy or a wrong address. */
  | "unexpected_answer";

/** The quota as the service told it with the last answer. */
export interface RateLimit {
  /** Requests allowed per window. */
  readonly limit: number;
  /** Requests remaining in the current window. */
  readonly remaining: number;
  /** When the window resets. */
  readonly reset: Date;
}

/** What there is to know about a failed call. */
export interface Failure {
  readonly message: string;
  readonly code: MinutesErrorCode;
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly rateLimit: RateLimit | null;
  readonly retryAfter: number | null;
}

/**
 * Every failure of a call. It is a `TRPCClientError` too, so that tools made for tRPC understand it.
 * @example
 * try {
 *   await client.meetings.get.query({ meetingId });
 * } catch (error) {
 *   if (error instanceof MinutesError && error.code === "not_found") return null;
 *   throw error;
 * }
 */
export class MinutesError extends TRPCClientError<MeRouter> {
  /** What kind of failure it was. */
  readonly code: MinutesErrorCode;
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** The quota as told with this answer; null when it wasn't. */
  readonly rateLimit: RateLimit | null;
  /** Seconds after which the service asks to be called again; null when it doesn't. */
  readonly retryAfter: number | null;

  constructor({ message, code, status, rateLimit, retryAfter }: Failure, cause?: unknown) {
    super(message, {
      ...(status === null ? {} : { result: { error: toErrorShape(message, status) } }),
      ...(cause instanceof Error ? { cause } : {}),
    });
    // The base class resets the prototype to its own.
    Object.setPrototypeOf(this, MinutesError.prototype);
    this.name = "MinutesError";
    this.code = code;
    this.status = status;
    this.rateLimit = rateLimit;
    this.retryAfter = retryAfter;
  }
}

/** Converts to the error that tRPC's own tools expect. */
const toErrorShape = (message: string, httpStatus: number) => ({
  message,
  code: -32603 as const,
  data: { code: "INTERNAL_SERVER_ERROR" as const, httpStatus },
});

const CODES: Readonly<Record<number, MinutesErrorCode>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  410: "gone",
  429: "rate_limited",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/** Returns the code of an answer that is not a success. */
export const toErrorCode = (status: number): MinutesErrorCode =>
  CODES[status] ??
  (status >= 500 ? "internal" : status >= 400 && status < 500 ? "refused" : "unexpected_answer");
