import { type BackgroundLoop, startLoop } from "./loop.js";

/** Milliseconds between two runs. */
const HOUR = 3_600_000;

/** Milliseconds after a run that failed. */
const FAULT_PAUSE = 60_000;

/** Runs `work` at once and then every hour. After a fault, which is reported, it runs again in a minute. */
export const startHourly = (
  work: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): BackgroundLoop =>
  startLoop({
    onFault,
    faultPause: FAULT_PAUSE,
    step: async () => {
      await work();
      return HOUR;
    },
  });
