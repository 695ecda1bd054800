import type { Clock } from "./clock.js";
import type { RateLimit } from "./errors.js";

/**
 * How many calls may be under way at once: so many in any case, or this share of what the quota has left. Others may
 * use the same quota, and what is under way when they empty it is refused.
 */
const FEW = 8;
const SHARE = 1 / 8;
/** Milliseconds over which processes with the same key spread their calls after a reset. */
const SPREAD = 250;

/** What an answer says about the quota, on this machine's clock. */
export interface QuotaUpdate extends RateLimit {
  /** Milliseconds from now until the window resets. */
  readonly resetsIn: number;
  readonly exceeded: boolean;
}

/**
 * Admits calls in order, as many as the quota has left, and queues the others until the window resets. So a burst is
 * refused only where others use the same quota.
 */
export class Quota {
  private underWay = 0;
  private remaining = 0;
  /** The window that `remaining` is about, by its end on the service's clock. */
  private window = 0;
  /** The window's end on this machine's clock. */
  private resetAt = 0;
  /** The window as the service described it. */
  private latest: RateLimit | null = null;
  /** The last call in the queue. Only the first one waits for the quota. */
  private last: Promise<unknown> = Promise.resolve();
  private onChange = (): void => {};

  /** @param onWait is called with the milliseconds when a pause begins. */
  constructor(
    private readonly clock: Clock,
    private readonly onWait: (milliseconds: number) => void = () => {},
  ) {}

  /** Describes the window that calls wait for: the quota, and the whole seconds until it resets. Null if unknown. */
  describe(): { readonly rateLimit: RateLimit; readonly retryAfter: number } | null {
    if (!this.latest) return null;
    const { limit, reset } = this.latest;
    const seconds = Math.max(0, Math.ceil((this.resetAt - this.clock.now()) / 1000));
    return { rateLimit: { limit, remaining: this.remaining, reset }, retryAfter: seconds };
  }

  /**
   * Waits until one more call may be sent; `leave` must follow when it resolves to true.
   * @returns false when the quota resets only after `patience` milliseconds.
   * @throws the signal's reason once it aborts.
   */
  enter(patience: number, signal: AbortSignal | null): Promise<boolean> {
    const deadline = this.clock.now() + patience;
    const turn = this.last.then(() => this.waitForQuota(deadline, signal));
    this.last = turn.catch(() => {});
    return turn;
  }

  /** Records that a call has ended, and what its answer says about the quota. */
  leave(news: QuotaUpdate | null): void {
    this.underWay--;
    const window = news?.reset.getTime() ?? 0;
    if (news && window >= this.window) {
      const remaining = news.exceeded ? 0 : news.remaining;
      // Answers of one window may arrive in another order than the service counted them.
      this.remaining = window > this.window ? remaining : Math.min(this.remaining, remaining);
      this.window = window;
      this.latest = news;
      this.resetAt = this.clock.now() + news.resetsIn;
    }
    this.onChange();
  }

  private async waitForQuota(deadline: number, signal: AbortSignal | null): Promise<boolean> {
    let announced: number | null = null;
    for (;;) {
      signal?.throwIfAborted();
      const now = this.clock.now();
      const reset = this.resetAt > now ? this.resetAt : null;
      // A window's first answers tell what it has left. Calls under way may be counted in that already: too few at
      // once is harmless, too many is refused.
      const left = reset === null ? FEW : this.remaining;
      if (this.underWay < Math.min(left, Math.max(FEW, left * SHARE))) {
        this.underWay++;
        return true;
      }
      if (this.underWay === 0 && (reset ?? now) > deadline) return false;
      const pause = reset === null ? null : reset - now + this.clock.random() * SPREAD;
      if (pause !== null && left === 0 && announced !== reset) {
        announced = reset;
        this.onWait(pause);
      }
      await this.waitForChange(pause, signal);
    }
  }

  /** Waits until a call ends or the milliseconds pass. */
  private async waitForChange(milliseconds: number | null, signal: AbortSignal | null): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.onChange = resolve;
    });
    if (milliseconds === null) return ended;
    const changed = new AbortController();
    const stop = signal ? AbortSignal.any([signal, changed.signal]) : changed.signal;
    const slept = this.clock.sleep(milliseconds, stop);
    await Promise.race([ended, slept]).finally(() => {
      slept.catch(() => {});
      changed.abort();
    });
  }
}
