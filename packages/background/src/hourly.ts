import { type BackgroundLoop, startLoop } from "./loop.js";

/** Interval between runs, in ms. */
const HOUR = 3_600_000;

/** Delay after a failed run, in ms. */
const FAULT_PAUSE = 60_000;

/**
 * Runs `work` immediately and then every hour. After a fault, which is reported, it retries in a minute. Work's signal
 * aborts when it is stopped.
 */
export const startHourly = (
  work: (signal: AbortSignal) => Promise<unknown>,
  onFault: (error: unknown) => void,
): BackgroundLoop =>
  startLoop({
    onFault,
    faultPause: FAULT_PAUSE,
    step: async (signal) => {
      await work(signal);
      return HOUR;
    },
  });
