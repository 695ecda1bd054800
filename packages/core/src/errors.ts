import { inputSentence, MESSAGES } from "@minutes/contract";
import { faultCode, isUnavailable } from "@minutes/db";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { ZodError } from "zod";

/** A refusal that the caller may read: a status by its tRPC code, and a message of the contract. */
export class ApiError extends TRPCError {
  constructor(code: TRPCError["code"], message: string) {
    super({ code, message });
  }
}

/** What goes over the wire for an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  /** What the log may say about a fault of ours; null for a refusal, which is the caller's matter. */
  readonly fault: string | null;
}

/** Seconds after which a caller may try again when the service is unavailable. */
export const RETRY_AFTER_SECONDS = 2;

/**
 * The one place where an error becomes an answer. Only an `ApiError` and the sentence
 * about a rejected input are shown; everything else is a 500 or 503 that tells nothing.
 * @see docs/specification.md#errors
 */
export function answerFor(error: unknown): ErrorAnswer {
  if (error instanceof ApiError) {
    return { status: getHTTPStatusCodeFromError(error), message: error.message, fault: null };
  }
  const cause = error instanceof TRPCError ? error.cause : error;
  if (cause instanceof ApiError) return answerFor(cause);
  if (error instanceof TRPCError && error.code === "BAD_REQUEST" && cause instanceof ZodError) {
    return { status: 400, message: inputSentence(cause.issues), fault: null };
  }
  if (isUnavailable(cause)) {
    return { status: 503, message: MESSAGES.unavailable, fault: faultCode(cause) };
  }
  return { status: 500, message: MESSAGES.internal, fault: describeFault(cause) };
}

/** Name, code and the first place in the code: enough to find a fault, nothing of what was being handled. */
function describeFault(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  // The stack repeats the message, and a message can hold what was being handled, in lines that look like places.
  const { stack = "", message } = cause;
  const from = stack.indexOf(message);
  const places = from < 0 ? "" : stack.slice(from + message.length);
  const place = /^\s*at .*$/m.exec(places)?.[0] ?? "";
  return `${cause.name} ${faultCode(cause) ?? ""} ${place}`.replace(/\s+/g, " ");
}
