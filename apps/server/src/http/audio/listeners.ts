import { BusyError } from "@minutes/core";

/** Recordings that a holder hears at once, and all holders of a process: each has half a megabyte in memory. */
const OF_HOLDER = 4;
const IN_ALL = 64;

/** Bounds how many recordings are sent at once. */
export class Listeners {
  readonly #sending = new Map<string, Set<AbortController>>();
  #count = 0;

  constructor(
    private readonly ofHolder = OF_HOLDER,
    private readonly inAll = IN_ALL,
  ) {}

  /**
   * Runs the sending of a recording. One too many of a holder ends their oldest: a player that waits asks again when it needs more.
   * @throws ApiError 503 if the process sends too many
   */
  async run(holder: string, send: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const own = this.#sending.get(holder) ?? new Set();
    if (own.size >= this.ofHolder) for (const oldest of [...own].slice(0, 1)) this.#end(holder, oldest);
    if (this.#count >= this.inAll) throw new BusyError("too many waiting");
    const controller = new AbortController();
    this.#sending.set(holder, own.add(controller));
    this.#count += 1;
    try {
      await send(controller.signal);
    } finally {
      this.#forget(holder, controller);
    }
  }

  #end(holder: string, controller: AbortController): void {
    controller.abort();
    this.#forget(holder, controller);
  }

  #forget(holder: string, controller: AbortController): void {
    const own = this.#sending.get(holder);
    if (!own?.delete(controller)) return;
    this.#count -= 1;
    if (own.size === 0) this.#sending.delete(holder);
  }
}
