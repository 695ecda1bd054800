import { vi } from "vitest";
import { PATIENCE } from "./patience.js";

/** Calls `check` until it succeeds, and returns its result. */
export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { interval: 100, timeout: PATIENCE });
