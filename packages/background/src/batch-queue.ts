/** Maximum concurrent batches. Another one starts only if the running ones are slow. */
const BATCHES_AT_ONCE = 4;
/** Time in ms after which a batch is slow, for example because its connection hangs. */
const SLOW = 100;

/** An item that waits for its batch. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs items in batches. Items added while a batch runs share the next one; an item added while nothing runs does not
 * wait.
 */
export class BatchQueue<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #startedAt = 0;

  /**
   * @param run Runs a batch. @returns a result for each item, in order
   * @param now Monotonic clock in ms.
   */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Adds an item to the next batch. @returns its result; rejects if its batch does */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      // After the other items of this turn of the event loop.
      if (this.#waiting.length === 1) setImmediate(() => this.#runNext());
      else if (this.#running > 0) this.#runNext();
    });
  }

  #runNext(): void {
    const isSlow = this.now() - this.#startedAt > SLOW;
    const isFree = this.#running === 0 || (this.#running < BATCHES_AT_ONCE && isSlow);
    if (!isFree || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#running += 1;
    this.#startedAt = this.now();
    void this.#runBatch(batch);
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      for (let at = 0; at < batch.length; at++) batch[at]?.resolve(results[at] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running -= 1;
      this.#runNext();
    }
  }
}
