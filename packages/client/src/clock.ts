/** The client's source of time; tests replace it with a simulated one. */
export interface Clock {
  /** Returns the current time in ms since 1970. */
  now(): number;
  /** Resolves after the given ms, or rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal | null): Promise<void>;
  /** Returns a number from 0 to 1, for jitter. */
  random(): number;
}

export const realClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, milliseconds);
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    }),
};
