import { type BackgroundLoop, startLoop } from "./loop.js";

/** An hour in ms, the interval of maintenance. */
export const HOUR = 3_600_000;

/** Maximum delay after a failed run, in ms. */
const MAX_FAULT_PAUSE = 60_000;

/**
 * Runs `work` immediately and then every `interval` ms. After a fault, which is reported, it retries in ten intervals, at
 * most a minute. Work's signal aborts when it is stopped.
 */
export const startEvery = (
  interval: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onFault: (error: unknown) => void,
): BackgroundLoop =>
  startLoop({
    onFault,
    faultPause: Math.min(10 * interval, MAX_FAULT_PAUSE),
    step: async (signal) => {
      await work(signal);
      return interval;
    },
  });
