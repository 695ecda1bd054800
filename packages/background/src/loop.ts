import { createWakeSignal } from "./wake-signal.js";

export interface LoopOptions {
  /**
   * Does one round of work. Resolves to the milliseconds until the next round; 0: at once.
   * The signal is aborted when the loop stops.
   */
  readonly step: (signal: AbortSignal) => Promise<number>;
  /** Called with what a step threw. The loop goes on after `faultPause`. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds after a step that threw. A wake does not shorten them. Default 500. */
  readonly faultPause?: number;
  /** Milliseconds between two steps that a wake does not shorten. Default 0. */
  readonly minimumPause?: number;
}

/** Work that repeats until it is stopped. */
export interface BackgroundLoop {
  /** Starts the next step now; a step under way is followed by another one. */
  wake(): void;
  /** Aborts the signal of the step under way and resolves when that step has ended. */
  stop(): Promise<void>;
}

const FAULT_PAUSE = 500;

/** Starts a loop whose first step runs at once. A waiting loop does not keep the process alive. */
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
