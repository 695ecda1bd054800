import { ApiError } from "@minutes/core";
import { TRPCClientError } from "@trpc/client";

/** Unwraps an error from tRPC's client. */
export const unwrap = (error: unknown): unknown =>
  error instanceof TRPCClientError && error.cause ? error.cause : error;

/** Returns the refusal behind an error of the operator client; null for a fault. */
export function toRefusal(error: unknown): ApiError | null {
  const cause = unwrap(error);
  return cause instanceof ApiError ? cause : null;
}
