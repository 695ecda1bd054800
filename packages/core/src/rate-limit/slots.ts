import { MESSAGES } from "@minutes/contract";
import { ApiError } from "../errors.js";

/** Lets a number of tasks run at once; further ones wait in order, and beyond that they are refused. */
export class ConcurrencyLimit {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly running: number,
    private readonly waiting: number,
  ) {}

  /** True while nothing runs. */
  get idle(): boolean {
    return this.#running === 0;
  }

  /** Runs a task as soon as a slot is free. @throws ApiError 503 when too many wait already */
  async run<Result>(task: () => PromiseLike<Result>): Promise<Result> {
    if (this.#running < this.running) this.#running += 1;
    else {
      if (this.#waiting.length >= this.waiting) {
        throw new ApiError("SERVICE_UNAVAILABLE", MESSAGES.unavailable);
      }
      // Whoever ends hands its slot over.
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
