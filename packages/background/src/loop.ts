import { createWakeSignal } from "./wake-signal.js";

export interface LoopOptions {
  /**
   * Does one round of work. Resolves to the delay until the next round in ms; 0 runs it immediately. The signal aborts
   * when the loop stops.
   */
  readonly step: (signal: AbortSignal) => Promise<number>;
  /** Called with the error of a step. The loop continues after `faultPause`. */
  readonly onFault: (error: unknown) => void;
  /** Delay after a failed step in ms, which a wake does not shorten. Default 500. */
  readonly faultPause?: number;
  /** Minimum delay between two steps in ms, which a wake does not shorten. Default 0. */
  readonly minimumPause?: number;
}

/** Work that repeats until it is stopped. */
export interface BackgroundLoop {
  /** Starts the next step now. If a step is running, another one follows it. */
  wake(): void;
  /** Aborts the current step's signal and resolves when the step has ended. */
  stop(): Promise<void>;
}

const FAULT_PAUSE = 500;

/** Starts a loop whose first step runs immediately. A waiting loop does not keep the process alive. */
export function startLoop(options: LoopOptions): BackgroundLoop {
  const { step, onFault, faultPause = FAULT_PAUSE, minimumPause = 0 } = options;
  const signal = createWakeSignal();
  const stopSignal = createWakeSignal();
  const aborted = new AbortController();

  const run = async () => {
    while (!aborted.signal.aborted) {
      let pause = faultPause;
      let fixedPause = faultPause;
      try {
        pause = await step(aborted.signal);
        fixedPause = Math.min(pause, minimumPause);
      } catch (error) {
        onFault(error);
      }
      if (fixedPause > 0 && !aborted.signal.aborted) await stopSignal.wait(fixedPause);
      if (pause > fixedPause && !aborted.signal.aborted) await signal.wait(pause - fixedPause);
    }
  };
  const running = run();
  return {
    wake: signal.wake,
    stop: async () => {
      aborted.abort();
      stopSignal.wake();
      signal.wake();
      await running;
    },
  };
}

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
