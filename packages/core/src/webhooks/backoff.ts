import { LIMITS } from "@minutes/contract";

/** Seconds between an attempt and the next one: after the first, the second, and so on. @see docs/open-questions.md#q18 */
export type RetryDelays = readonly number[];

export const DEFAULT_RETRY_DELAYS: RetryDelays = [10, 60, 600, 3600];

/** How many delays the attempts have between them. */
export const RETRIES = LIMITS.webhookAttempts - 1;

/** Seconds from a failed attempt, 1 being the first, to the next; null when it was the last. */
export const delayAfter = (delays: RetryDelays, attempt: number): number | null =>
  attempt > RETRIES ? null : (delays[attempt - 1] ?? null);
