import { LIMITS } from "@minutes/contract";

/** Delays between attempts in seconds: after the first, the second, and so on. @see docs/open-questions.md#q18 */
export type RetryDelays = readonly number[];

/** Number of delays between attempts. */
export const RETRIES = LIMITS.webhookAttempts - 1;

/** Returns the delay in seconds after a failed attempt; null after the last. The first attempt is 1. */
export const getRetryDelay = (delays: RetryDelays, attempt: number): number | null =>
  attempt > RETRIES ? null : (delays[attempt - 1] ?? null);

/** When to pause a webhook: after this many consecutive failures, the first of them this many hours ago. */
export interface PausePolicy {
  readonly failures: number;
  readonly hours: number;
}
