import { dropOldest } from "../lib/drop-oldest.js";

/** Wait before a user's next reading, as a multiple of the time that the last one took. */
const REST = 60;
/** Maximum wait in ms: how often a calendar is read. */
const LONGEST = 1_800_000;
/** Maximum number of users who are remembered. */
const USERS = 10_000;

/**
 * Bounds each user's share of the process's time for calendars to a second in a minute, whatever addresses they enter, and how
 * often. Kept by each process, for itself.
 */
export class Pace {
  readonly #ready = new Map<string, number>();

  constructor(
    private readonly rest = REST,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Returns how long a user's calendar has to wait, in ms; 0 if it can be read. */
  wait(userId: string): number {
    const wait = (this.#ready.get(userId) ?? 0) - this.now();
    if (wait > 0) return wait;
    this.#ready.delete(userId);
    return 0;
  }

  /** Counts the time of work for a user's calendar, also if it fails. */
  async spend<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const began = this.now();
    try {
      return await work();
    } finally {
      const ended = this.now();
      const ready = Math.max(this.#ready.get(userId) ?? 0, ended) + (ended - began) * this.rest;
      this.#ready.delete(userId);
      if (this.rest > 0) this.#ready.set(userId, Math.min(ready, ended + LONGEST));
      dropOldest(this.#ready, USERS);
    }
  }
}
