import { vi } from "vitest";

/** Calls `check` until it succeeds, and returns what it returned. Patient enough for a machine that is busy. */
export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { interval: 100, timeout: 120_000 });
