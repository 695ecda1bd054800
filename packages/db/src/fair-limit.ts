/** Too much work of one holder waits. Becomes a 503, and the code is the log's reason. */
export class TooManyWaitingError extends Error {
  override name = "TooManyWaitingError";
  readonly code = "too many waiting";
}

export interface FairLimitOptions {
  /** Maximum concurrent tasks. */
  readonly total: number;
  /** Maximum concurrent tasks of a holder. */
  readonly perHolder: number;
  /** Maximum waiting tasks of a holder. */
  readonly waiting: number;
  /** Time in ms after which a waiting task is refused. */
  readonly patience: number;
}

/** How long heavy statements wait: no longer than a call. */
export const HEAVY = { waiting: 100, patience: 4_000 };

/** Calls back at the end of something. @returns a function that forgets the callback */
export type OnEnd = (callback: () => void) => () => void;

interface Holder {
  running: number;
  /** Number of its latest turn; 0 before the first one. */
  turn: number;
  readonly waiting: Set<() => void>;
}

/** Limits concurrent tasks, in total and of each holder. Each holder has a queue, and holders with waiting tasks take turns. */
export class FairLimit {
  readonly #options: FairLimitOptions;
  /** Those with running or waiting tasks. */
  readonly #holders = new Map<string, Holder>();
  #running = 0;
  #turns = 0;

  constructor(options: FairLimitOptions) {
    this.#options = options;
  }

  /**
   * Runs a task as soon as its holder has a slot.
   * @param onEnd watches for the end of what the task is for, such as a call: calls back to refuse the task if it still
   *   waits, and returns a function that stops watching. By default, the limit's patience ends it, and few can wait.
   * @throws TooManyWaitingError
   */
  async run<Result>(name: string, task: () => PromiseLike<Result>, onEnd?: OnEnd): Promise<Result> {
    const holder = this.#holders.get(name) ?? { running: 0, turn: 0, waiting: new Set() };
    this.#holders.set(name, holder);
    if (this.#hasSlot(holder)) this.#take(holder);
    else await this.#wait(holder, onEnd).finally(() => this.#forgetIfIdle(name, holder));
    try {
      return await task();
    } finally {
      holder.running -= 1;
      this.#running -= 1;
      this.#forgetIfIdle(name, holder);
      this.#startNext();
    }
  }

  #forgetIfIdle(name: string, { running, waiting }: Holder): void {
    if (running === 0 && waiting.size === 0) this.#holders.delete(name);
  }

  #hasSlot({ running }: Holder): boolean {
    return this.#running < this.#options.total && running < this.#options.perHolder;
  }

  #take(holder: Holder): void {
    holder.running += 1;
    this.#running += 1;
    holder.turn = ++this.#turns;
  }

  readonly #startTimer: OnEnd = (refuse) => {
    const timer = setTimeout(refuse, this.#options.patience);
    return () => clearTimeout(timer);
  };

  async #wait({ waiting }: Holder, onEnd: OnEnd | undefined): Promise<void> {
    if (!onEnd && waiting.size >= this.#options.waiting) throw new TooManyWaitingError();
    let stopWatching = () => {};
    await new Promise<void>((start, reject) => {
      // First, because the end can have come already.
      waiting.add(start);
      stopWatching = (onEnd ?? this.#startTimer)(() => {
        waiting.delete(start);
        reject(new TooManyWaitingError());
      });
    }).finally(() => stopWatching());
  }

  /** Starts a task of the holder whose turn was the longest ago. */
  #startNext(): void {
    let next: Holder | undefined;
    for (const holder of this.#holders.values())
      if (holder.waiting.size > 0 && this.#hasSlot(holder) && holder.turn < (next?.turn ?? Infinity))
        next = holder;
    const [start] = next?.waiting ?? [];
    if (!next || !start) return;
    next.waiting.delete(start);
    this.#take(next);
    start();
  }
}
