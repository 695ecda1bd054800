import type { Clock } from "./clock.js";
import type { RateLimit } from "./errors.js";

/**
 * Maximum concurrent calls: this number, or this share of the remaining quota if that is more. Other processes may use
 * the same quota, and calls in flight when it runs out are refused.
 */
const FEW = 8;
const SHARE = 1 / 8;
/** Jitter in ms by which processes with the same key spread their calls after a reset. */
const SPREAD = 250;

/** The quota reported by an answer, on this machine's clock. */
export interface QuotaUpdate extends RateLimit {
  /** Time until the window resets, in ms. */
  readonly resetsIn: number;
  readonly exceeded: boolean;
}

/**
 * Admits calls in order while the quota lasts, and queues the rest until the window resets. A burst is refused only if
 * others use the same quota.
 */
export interface Quota {
  /** Returns the quota and the whole seconds until it resets. Null if unknown. */
  describe(): { readonly rateLimit: RateLimit; readonly retryAfter: number } | null;
  /**
   * Waits until one more call can be sent. If it resolves to true, `leave` must follow.
   * @returns false if the quota resets only after `deadline`, in ms on this machine's clock
   * @throws the signal's reason when it aborts
   */
  enter(deadline: number, signal: AbortSignal | null): Promise<boolean>;
  /** Records that a call has ended, with the quota its answer reported. */
  leave(news: QuotaUpdate | null): void;
}

/** Creates a quota of unknown state. @param onWait called with the duration in ms when a pause begins */
export function createQuota(clock: Clock, onWait: (milliseconds: number) => void = () => {}): Quota {
  let underWay = 0;
  let remaining = 0;
  /** The window that `remaining` belongs to, identified by its end on the service's clock. */
  let window = 0;
  /** The window whose end `onWait` knows. */
  let announced: number | null = null;
  /** End of the window on this machine's clock. */
  let resetAt = 0;
  /** The last reported quota. */
  let latest: RateLimit | null = null;
  /** The last call in the queue. Only the first one waits for the quota. */
  let last: Promise<unknown> = Promise.resolve();
  let onChange = (): void => {};

  /** Waits until a call ends or the timeout passes. */
  async function waitForChange(milliseconds: number | null, signal: AbortSignal | null): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      onChange = resolve;
    });
    if (milliseconds === null) return ended;
    const changed = new AbortController();
    const stop = signal ? AbortSignal.any([signal, changed.signal]) : changed.signal;
    const slept = clock.sleep(milliseconds, stop);
    await Promise.race([ended, slept]).finally(() => {
      slept.catch(() => {});
      changed.abort();
    });
  }

  async function waitForQuota(deadline: number, signal: AbortSignal | null): Promise<boolean> {
    for (;;) {
      signal?.throwIfAborted();
      const now = clock.now();
      const reset = resetAt > now ? resetAt : null;
      // The first responses of a window report the remaining calls. They may already count calls in flight: sending too few is
      // harmless, sending too many gets refused.
      const left = reset === null ? FEW : remaining;
      if (underWay < Math.min(left, Math.max(FEW, left * SHARE))) {
        underWay++;
        return true;
      }
      if (underWay === 0 && (reset ?? now) > deadline) return false;
      const pause = reset === null ? null : Math.ceil(reset - now + clock.random() * SPREAD);
      if (pause !== null && left === 0 && now + pause <= deadline && announced !== window) {
        announced = window;
        onWait(pause);
      }
      await waitForChange(pause, signal);
    }
  }

  return {
    describe: () => {
      if (!latest) return null;
      const { limit, reset } = latest;
      const seconds = Math.max(0, Math.ceil((resetAt - clock.now()) / 1000));
      return { rateLimit: { limit, remaining, reset }, retryAfter: seconds };
    },
    enter: (deadline, signal) => {
      const turn = last.then(() => waitForQuota(deadline, signal));
      last = turn.catch(() => {});
      return turn;
    },
    leave: (news) => {
      underWay--;
      const end = news?.reset.getTime() ?? 0;
      // A refusal counts whenever its window ends: the guard of credentials has shorter ones than the quota.
      if (news && (end >= window || news.exceeded)) {
        const left = news.exceeded ? 0 : news.remaining;
        // Answers can arrive in another order than the service counted their calls.
        remaining = end > window ? left : Math.min(remaining, left);
        window = Math.max(window, end);
        latest = news;
        resetAt = clock.now() + news.resetsIn;
      }
      onChange();
    },
  };
}
