/** A wait that something else can end early. */
export interface WakeSignal {
  /** Ends the wait under way, or the next one where none is. */
  wake(): void;
  /** Waits for `wake`, at most so many milliseconds. Does not keep the process alive. */
  wait(milliseconds: number): Promise<void>;
}

/** The longest time that a timer of Node.js takes. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Creates a signal that keeps a wake that comes before the wait. */
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
