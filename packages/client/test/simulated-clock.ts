import type { Clock } from "../src/clock.js";

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

/** A clock that stands still during work, and jumps to the next sleeper when everything is idle. */
export interface SimulatedClock extends Clock {
  /** Every requested sleep in ms. */
  readonly slept: readonly number[];
}

/**
 * Creates a simulated clock that jumps only while `busy` returns false. `onJump` receives the length of the next jump
 * in ms. All jitter comes from `random`.
 */
export function createSimulatedClock(
  options: { onJump?: (milliseconds: number) => Promise<void>; busy?: () => boolean; random?: number } = {},
): SimulatedClock {
  const { onJump = async () => {}, busy = () => false, random = 0.5 } = options;
  const slept: number[] = [];
  const sleepers = new Set<Sleeper>();
  let now = Date.parse("2026-01-01T00:00:00Z");
  let jump: NodeJS.Timeout | null = null;

  const jumpWhenIdle = () => {
    if (jump) clearTimeout(jump);
    jump = setTimeout(async () => {
      if (busy()) return jumpWhenIdle();
      const next = Math.min(...[...sleepers].map(({ wakeAt }) => wakeAt));
      if (!Number.isFinite(next)) return;
      await onJump(next - now);
      now = next;
      for (const sleeper of sleepers) {
        if (sleeper.wakeAt > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      if (sleepers.size > 0) jumpWhenIdle();
    }, 5);
  };

  return {
    slept,
    now: () => now,
    random: () => random,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        slept.push(milliseconds);
        const sleeper = { wakeAt: now + milliseconds, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
        jumpWhenIdle();
      }),
  };
}
