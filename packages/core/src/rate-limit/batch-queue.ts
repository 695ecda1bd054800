/** Batches at once: a further one starts only when those under way take long. */
const BATCHES_AT_ONCE = 4;
/** Milliseconds after which a batch takes long, as when its connection hangs. */
const SLOW = 100;

/**
 * Runs items in batches: those that are added while a batch is under way go into the next one together. An item that is
 * added while nothing runs waits for nobody.
 */
export class BatchQueue<Item> {
  #waiting: Item[] = [];
  #running = 0;
  #startedAt = 0;

  /**
   * @param run Runs a batch; it has to settle each item itself, and never rejects.
   * @param now Milliseconds of a clock that never goes back.
   */
  constructor(
    private readonly run: (batch: readonly Item[]) => Promise<void>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Adds an item to the next batch. */
  add(item: Item): void {
    this.#waiting.push(item);
    // After the other items of this turn of the event loop.
    if (this.#waiting.length === 1) setImmediate(() => this.#runNext());
    else if (this.#running > 0) this.#runNext();
  }

  #runNext(): void {
    const isSlow = this.now() - this.#startedAt > SLOW;
    const isFree = this.#running === 0 || (this.#running < BATCHES_AT_ONCE && isSlow);
    if (!isFree || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#running += 1;
    this.#startedAt = this.now();
    void this.run(batch).finally(() => {
      this.#running -= 1;
      this.#runNext();
    });
  }
}
