import { MESSAGES, toInputSentence } from "@minutes/contract";
import { getFaultCode, isForeignKeyViolation, isUnavailable } from "@minutes/db";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { ZodError } from "zod";

/**
 * A refusal that the caller may read: a tRPC code, which sets the status, and a message of the contract. It has no stack:
 * nobody reads it, and to collect it is a twelfth of what an unknown procedure costs.
 */
export class ApiError extends TRPCError {
  /** @param headers Sent with the response. */
  constructor(
    code: TRPCError["code"],
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super({ code, message });
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** A refusal of something that was valid once: 410, for which tRPC has no code. */
export class GoneError extends ApiError {
  /** @param message One of the contract. */
  constructor(message: string) {
    super("BAD_REQUEST", message);
  }
}

/**
 * Turns the failure of a foreign key into 404: what a row refers to was deleted after it had been found.
 * @returns a handler for `catch`, which throws
 */
export const notFoundIfDeleted =
  (message: string) =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? new ApiError("NOT_FOUND", message) : error;
  };

/** What is sent and logged for an error. */
export interface ErrorResponse {
  readonly status: number;
  readonly message: string;
  /** Sent besides those of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the log may say about a fault of the service; null for a refusal. */
  readonly fault: string | null;
}

/** Seconds after which a caller may try again when the service is unavailable. */
export const RETRY_AFTER_SECONDS = 2;

/**
 * Turns any error into a response. Callers see only the message of an `ApiError` and the sentence about a rejected
 * input; everything else becomes a 500 or 503 that reveals nothing.
 * @see docs/specification.md#errors
 */
export function toErrorResponse(error: unknown): ErrorResponse {
  if (error instanceof ApiError) {
    const { message, headers } = error;
    const status = error instanceof GoneError ? 410 : getHTTPStatusCodeFromError(error);
    return { status, message, headers, fault: null };
  }
  const cause = error instanceof TRPCError ? error.cause : error;
  if (cause instanceof ApiError) return toErrorResponse(cause);
  if (error instanceof TRPCError && error.code === "BAD_REQUEST" && cause instanceof ZodError) {
    return { status: 400, message: toInputSentence(cause.issues), headers: {}, fault: null };
  }
  if (isUnavailable(cause)) {
    return { status: 503, message: MESSAGES.unavailable, headers: {}, fault: getFaultCode(cause) };
  }
  return { status: 500, message: MESSAGES.internal, headers: {}, fault: describeFault(cause) };
}

/** Gives an error's name, code and first stack frame: enough to find the fault, and no data of the call. */
function describeFault(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  // The stack repeats the message, which can hold data of the call in lines that look like stack frames.
  const { stack = "", message } = cause;
  const from = stack.indexOf(message);
  const frames = from < 0 ? "" : stack.slice(from + message.length);
  const frame = /^\s*at .*$/m.exec(frames)?.[0] ?? "";
  return `${cause.name} ${getFaultCode(cause) ?? ""} ${frame}`.replace(/\s+/g, " ");
}
