import { BusyError } from "../../lib/errors.js";

/** Runs a limited number of tasks concurrently, queues a limited number, and refuses the rest. */
export class ConcurrencyLimit {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly running: number,
    private readonly waiting: number,
  ) {}

  /** True while no task is running. */
  get idle(): boolean {
    return this.#running === 0;
  }

  /** Runs a task as soon as a slot is free. @throws ApiError 503 if the queue is full */
  async run<Result>(task: () => PromiseLike<Result>): Promise<Result> {
    if (this.#running < this.running) this.#running += 1;
    else {
      if (this.#waiting.length >= this.waiting) {
        throw new BusyError("too many waiting");
      }
      // A finished task hands over its slot.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

/** Gives each key, such as a meeting, a limit of its own while it has work. */
export class ConcurrencyLimits {
  readonly #limits = new Map<string, ConcurrencyLimit>();

  /** @param running tasks of a key that run concurrently @param waiting tasks of a key that can wait */
  constructor(
    private readonly running: number,
    private readonly waiting: number,
  ) {}

  /** Runs a task as soon as its key has a free slot. @throws ApiError 503 if too many of the key's tasks wait */
  async run<Result>(key: string, task: () => PromiseLike<Result>): Promise<Result> {
    const limit = this.#limits.get(key) ?? new ConcurrencyLimit(this.running, this.waiting);
    this.#limits.set(key, limit);
    try {
      return await limit.run(task);
    } finally {
      if (limit.idle) this.#limits.delete(key);
    }
  }
}
