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
export class Quota {
  private underWay = 0;
  private remaining = 0;
  /** The window that `remaining` belongs to, identified by its end on the service's clock. */
  private window = 0;
  /** The window whose end `onWait` knows. */
  private announced: number | null = null;
  /** End of the window on this machine's clock. */
  private resetAt = 0;
  /** The last reported quota. */
  private latest: RateLimit | null = null;
  /** The last call in the queue. Only the first one waits for the quota. */
  private last: Promise<unknown> = Promise.resolve();
  private onChange = (): void => {};

  /** @param onWait called with the duration in ms when a pause begins */
  constructor(
    private readonly clock: Clock,
    private readonly onWait: (milliseconds: number) => void = () => {},
  ) {}

  /** Returns the quota and the whole seconds until it resets. Null if unknown. */
  describe(): { readonly rateLimit: RateLimit; readonly retryAfter: number } | null {
    if (!this.latest) return null;
    const { limit, reset } = this.latest;
    const seconds = Math.max(0, Math.ceil((this.resetAt - this.clock.now()) / 1000));
    return { rateLimit: { limit, remaining: this.remaining, reset }, retryAfter: seconds };
  }

  /**
   * Waits until one more call can be sent. If it resolves to true, `leave` must follow.
   * @returns false if the quota resets only after `deadline`, in ms on this machine's clock
   * @throws the signal's reason when it aborts
   */
  enter(deadline: number, signal: AbortSignal | null): Promise<boolean> {
    const turn = this.last.then(() => this.waitForQuota(deadline, signal));
    this.last = turn.catch(() => {});
    return turn;
  }

  /** Records that a call has ended, with the quota its answer reported. */
  leave(news: QuotaUpdate | null): void {
    this.underWay--;
    const window = news?.reset.getTime() ?? 0;
    // A refusal counts whenever its window ends: the guard of credentials has shorter ones than the quota.
    if (news && (window >= this.window || news.exceeded)) {
      const remaining = news.exceeded ? 0 : news.remaining;
      // Answers can arrive in another order than the service counted their calls.
      this.remaining = window > this.window ? remaining : Math.min(this.remaining, remaining);
      this.window = Math.max(this.window, window);
      this.latest = news;
      this.resetAt = this.clock.now() + news.resetsIn;
    }
    this.onChange();
  }

  private async waitForQuota(deadline: number, signal: AbortSignal | null): Promise<boolean> {
    for (;;) {
      signal?.throwIfAborted();
      const now = this.clock.now();
      const reset = this.resetAt > now ? this.resetAt : null;
      // The first responses of a window report the remaining calls. They may already count calls in flight: sending too few is
      // harmless, sending too many gets refused.
      const left = reset === null ? FEW : this.remaining;
      if (this.underWay < Math.min(left, Math.max(FEW, left * SHARE))) {
        this.underWay++;
        return true;
      }
      if (this.underWay === 0 && (reset ?? now) > deadline) return false;
      const pause = reset === null ? null : Math.ceil(reset - now + this.clock.random() * SPREAD);
      if (pause !== null && left === 0 && now + pause <= deadline && this.announced !== this.window) {
        this.announced = this.window;
        this.onWait(pause);
      }
      await this.waitForChange(pause, signal);
    }
  }

  /** Waits until a call ends or the timeout passes. */
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
