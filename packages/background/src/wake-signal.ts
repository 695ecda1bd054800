/** A wait that can be ended early. */
export interface WakeSignal {
  /** Ends the current wait, or the next one if there is none. */
  wake(): void;
  /** Waits for `wake` or the given ms. Does not keep the process alive. */
  wait(milliseconds: number): Promise<void>;
}

/** Maximum delay of a Node.js timer, in ms. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Creates a signal that remembers a wake before the wait. */
export function createWakeSignal(): WakeSignal {
  let woken = false;
  let endWait: (() => void) | undefined;
  return {
    wake: () => {
      woken = true;
      endWait?.();
    },
    wait: async (milliseconds) => {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(milliseconds, LONGEST_TIMER)).unref();
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      endWait = undefined;
      woken = false;
    },
  };
}
