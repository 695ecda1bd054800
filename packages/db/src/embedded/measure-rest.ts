/** Work that holds the engine for less, in ms, is followed by no rest. */
const LONG = 100;
/** Maximum time of a rest in ms. */
const REST = 1_000;

/**
 * Measures heavy work of a holder. If others found the engine busy, the holder rests for as long as it ran, up to a second:
 * a page of several reads then waits for it once, and not once per read.
 * @param countHeld counts the statements so far that found the engine busy
 * @returns a function for the end of the work, which returns the time of the rest in ms
 */
export function measureRest(countHeld: () => number): () => number {
  const started = performance.now();
  const before = countHeld();
  return () => {
    const ran = performance.now() - started;
    return ran < LONG || countHeld() === before ? 0 : Math.min(ran, REST);
  };
}
