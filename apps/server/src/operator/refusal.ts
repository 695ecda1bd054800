import { ApiError } from "@minutes/core";
import { TRPCClientError } from "@trpc/client";

/** Takes the error of a call out of the error in which tRPC's client wraps it. */
export const unwrap = (error: unknown): unknown =>
  error instanceof TRPCClientError && error.cause ? error.cause : error;

/** Returns the refusal behind an error of the operator client; null for a fault. */
export function toRefusal(error: unknown): ApiError | null {
  const cause = unwrap(error);
  return cause instanceof ApiError ? cause : null;
}
