import { TRPCClientError } from "@trpc/client";
import type { MeRouter } from "./routers.js";

/** The kind of failure. Unlike messages, codes are stable within a major version. */
export type MinutesErrorCode =
  | "bad_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  /** The current state does not allow it, or the same create is still running. */
  | "conflict"
  /** The `Idempotency-Key` was used with another input. */
  | "unprocessable"
  /** A change feed cursor is no longer valid: start again without one. */
  | "gone"
  | "rate_limited"
  | "internal"
  | "unavailable"
  /** Another 4xx: wrong method, media type or size. */
  | "refused"
  /** No answer: the connection failed or broke. */
  | "network"
  | "timeout"
  | "aborted"
  /** The answer did not come from this service but from a proxy, for example, or a wrong address. */
  | "unexpected_answer";

/** The quota reported by the last answer. */
export interface RateLimit {
  /** Requests allowed per window. */
  readonly limit: number;
  /** Requests remaining in the current window. */
  readonly remaining: number;
  /** When the window resets. */
  readonly reset: Date;
}

/** The answer to a failed call, its body as text. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: string;
}

/** The fields of a failed call. */
export interface Failure {
  readonly message: string;
  readonly code: MinutesErrorCode;
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  readonly rateLimit: RateLimit | null;
  readonly retryAfter: number | null;
  readonly response?: FailedResponse;
}

/**
 * The error of every failed call. It extends `TRPCClientError`, so tools for tRPC understand it.
 *
 * @example
 * try {
 *    await client.meetings.get.query({ meetingId });
 * } catch (error) {
 *    if (error instanceof MinutesError && error.code === "not_found") return null;
 *    throw error;
 * }
 */
export class MinutesError extends TRPCClientError<MeRouter> {
  /** The kind of failure. */
  declare readonly code: MinutesErrorCode;
  /** HTTP status; null if there was no answer. */
  declare readonly status: number | null;
  /** The quota reported with this answer; null if there was none. */
  declare readonly rateLimit: RateLimit | null;
  /** Seconds to wait before the next call, as requested by the service; null if it requested nothing. */
  declare readonly retryAfter: number | null;
  /** Identifies the request in the service's log; null if there was no answer. */
  declare readonly requestId: string | null;
  /** The answer; null if there was none. */
  declare readonly response: FailedResponse | null;

  constructor({ message, code, status, rateLimit, retryAfter, response }: Failure, cause?: unknown) {
    super(message, {
      ...(status === null ? {} : { result: { error: toErrorShape(message, status) } }),
      ...(cause instanceof Error ? { cause } : {}),
    });
    // The base class sets the prototype to its own.
    Object.setPrototypeOf(this, MinutesError.prototype);
    this.name = "MinutesError";
    this.code = code;
    this.status = status;
    this.rateLimit = rateLimit;
    this.retryAfter = retryAfter;
    this.response = response ?? null;
    this.requestId = response?.headers.get("x-request-id") ?? null;
  }
}

type ErrorShape = NonNullable<TRPCClientError<MeRouter>["shape"]>;

/** tRPC's code names by HTTP status. Other statuses use those of 400 and 500. */
const TRPC_CODES: Readonly<Record<number, ErrorShape["data"]["code"]>> = {
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  412: "PRECONDITION_FAILED",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
  504: "GATEWAY_TIMEOUT",
};

/** Converts to the error shape that tRPC's own tools expect. tRPC numbers 409 as -32009, and so on. */
function toErrorShape(message: string, httpStatus: number): ErrorShape {
  const isRefused = httpStatus >= 400 && httpStatus < 500;
  const name = TRPC_CODES[httpStatus];
  const code = !isRefused ? -32_603 : name ? -31_600 - httpStatus : -32_600;
  const data = { code: name ?? (isRefused ? "BAD_REQUEST" : "INTERNAL_SERVER_ERROR"), httpStatus };
  return { message, code: code as ErrorShape["code"], data };
}

const CODES: Readonly<Record<number, MinutesErrorCode>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  410: "gone",
  422: "unprocessable",
  429: "rate_limited",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/** Returns the error code for an unsuccessful status. */
export const toErrorCode = (status: number): MinutesErrorCode =>
  CODES[status] ??
  (status >= 500 ? "internal" : status >= 400 && status < 500 ? "refused" : "unexpected_answer");
