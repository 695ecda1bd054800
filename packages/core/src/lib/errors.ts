import { MESSAGES, toInputSentence } from "@minutes/contract";
import { getFaultCode, isForeignKeyViolation, isUnavailable } from "@minutes/db";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { ZodError } from "zod";
import { ApiError } from "./api-error.js";

export { ApiError };

/** Why this process can't accept a call, for the log: the reason of a 503 not caused by the database. */
type BusyReason = "deadline" | "too many waiting" | "too many bodies";

/** 503: this process lacks the time or capacity for a call. The same call can succeed later. */
export class BusyError extends ApiError {
  constructor(readonly reason: BusyReason) {
    super("SERVICE_UNAVAILABLE", MESSAGES.unavailable);
  }
}

/** 410 for something that was valid once. tRPC has no code for it. */
export class GoneError extends ApiError {
  /** @param message one of the contract */
  constructor(message: string) {
    super("BAD_REQUEST", message);
  }
}

/**
 * Converts a foreign key violation to 404: a referenced row was deleted after it was read.
 * @returns a handler for `catch`, which throws
 */
export const notFoundIfDeleted =
  (message: string) =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? new ApiError("NOT_FOUND", message) : error;
  };

/** The response to an error, and its log entry. */
export interface ErrorResponse {
  readonly status: number;
  readonly message: string;
  /** Sent in addition to the common headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Content-free log text of a 5xx; null for other statuses. */
  readonly fault: string | null;
}

/** `Retry-After` of a 503, in seconds. */
export const RETRY_AFTER_SECONDS = 2;

/**
 * Converts any error to a response. Callers see only the message of an `ApiError` and the message about an invalid
 * input; everything else becomes a 500 or 503 that reveals nothing.
 * @see docs/specification.md#errors
 */
export function toErrorResponse(error: unknown): ErrorResponse {
  if (error instanceof ApiError) {
    const { message, headers } = error;
    const status = error instanceof GoneError ? 410 : getHTTPStatusCodeFromError(error);
    const reason = error instanceof BusyError ? error.reason : error.code;
    return { status, message, headers, fault: status < 500 ? null : reason };
  }
  const cause = error instanceof TRPCError ? error.cause : error;
  if (cause instanceof ApiError) return toErrorResponse(cause);
  if (error instanceof TRPCError && error.code === "BAD_REQUEST" && cause instanceof ZodError) {
    return { status: 400, message: toInputSentence(cause.issues), headers: {}, fault: null };
  }
  if (isUnavailable(cause)) {
    const fault = getFaultCode(cause) ?? describeFault(cause);
    return { status: 503, message: MESSAGES.unavailable, headers: {}, fault };
  }
  return { status: 500, message: MESSAGES.internal, headers: {}, fault: describeFault(cause) };
}

/** Returns an error's name, code and first stack frame: enough to locate the fault, without data of the call. */
function describeFault(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  // The stack repeats the message, which can contain data of the call in lines that look like stack frames.
  const { stack = "", message } = cause;
  const from = stack.indexOf(message);
  const frames = from < 0 ? "" : stack.slice(from + message.length);
  const frame = frames.split("\n").find((line) => /^\s*at /.test(line)) ?? "";
  return `${cause.name} ${getFaultCode(cause) ?? ""} ${frame}`.replace(/\s+/g, " ");
}
