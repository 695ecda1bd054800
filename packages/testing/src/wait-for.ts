import { vi } from "vitest";

/** Calls `check` until it succeeds, and returns its result. The timeout suits a busy machine. */
export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { interval: 100, timeout: 300_000 });
