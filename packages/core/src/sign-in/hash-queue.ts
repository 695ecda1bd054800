import { BusyError } from "../lib/errors.js";

/** The caller of a hash. */
export interface HashCaller {
  /** Network address, from `toAddressKey`. */
  readonly address: string;
  /** Deadline by `performance.now()`, after which the caller has already been answered with 503. */
  readonly answerBy: number;
}

interface Waiter {
  readonly start: () => void;
  readonly refuse: (error: BusyError) => void;
  readonly answerBy: number;
}

/**
 * Runs a few tasks concurrently. Others wait in one line per network address, and the lines are served round-robin, so
 * that a flood from one address delays others by only one task. Callers that were already answered are dropped.
 */
export class HashQueue {
  #running = 0;
  #size = 0;
  /** In order of service. */
  readonly #lines = new Map<string, Waiter[]>();

  /**
   * @param atOnce maximum number of running tasks
   * @param waiting maximum number of waiting tasks
   */
  constructor(
    private readonly atOnce: number,
    private readonly waiting: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Runs a task in its turn. @throws BusyError if the queue is full, or it is too late to answer */
  async run<Result>(caller: HashCaller, task: () => Promise<Result>): Promise<Result> {
    if (caller.answerBy <= this.now()) throw new BusyError("deadline");
    if (this.#running < this.atOnce) this.#running += 1;
    else await this.#wait(caller);
    try {
      return await task();
    } finally {
      this.#startNext();
    }
  }

  #wait({ address, answerBy }: HashCaller): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#size >= this.waiting && !this.#makeRoom(address)) throw new BusyError("too many waiting");
      const line = this.#lines.get(address) ?? [];
      line.push({ start: resolve, refuse: reject, answerBy });
      this.#lines.set(address, line);
      this.#size += 1;
    });
  }

  /**
   * Drops the last waiter of the longest line, unless the caller's own line is as long. @returns whether there is room
   */
  #makeRoom(address: string): boolean {
    const [longest] = [...this.#lines.values()].sort((a, b) => b.length - a.length);
    const own = this.#lines.get(address)?.length ?? 0;
    if (!longest || longest.length <= own + 1) return false;
    longest.pop()?.refuse(new BusyError("too many waiting"));
    this.#size -= 1;
    return true;
  }

  /** Gives the free slot to the next waiter that can still be answered. */
  #startNext(): void {
    for (const [address, line] of this.#lines) {
      this.#lines.delete(address);
      const expired = line.filter(({ answerBy }) => answerBy <= this.now());
      for (const { refuse } of expired) refuse(new BusyError("deadline"));
      const [next, ...rest] = line.filter((waiter) => !expired.includes(waiter));
      this.#size -= expired.length;
      if (!next) continue;
      if (rest.length > 0) this.#lines.set(address, rest);
      this.#size -= 1;
      next.start();
      return;
    }
    this.#running -= 1;
  }
}
