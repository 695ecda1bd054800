import { BusyError } from "@minutes/core";

/** Recordings sent at once to a holder, to a workspace, and by a process: each has half a megabyte in memory. */
const LIMITS = { ofHolder: 4, ofWorkspace: 16, inAll: 64 };

/** Time in ms in which a megabyte must be taken: playing one at 64 kbit/s takes two minutes. */
const PATIENCE = 300_000;

/** Who hears a recording. */
export interface Listener {
  /** ID of a user or workspace. */
  readonly holder: string;
  readonly workspaceId: string;
}

interface Stream extends Listener {
  readonly controller: AbortController;
}

/**
 * Bounds how many recordings are sent at once, and for how long without progress. A player whose stream ends asks again when it
 * needs more.
 */
export class Listeners {
  /** The oldest one first. */
  readonly #streams = new Set<Stream>();

  constructor(
    private readonly limits = LIMITS,
    private readonly patience = PATIENCE,
  ) {}

  /**
   * Sends a recording. One too many ends the holder's oldest; in a full workspace or process, the oldest of
   * the holder or workspace with the most.
   * @param send calls `progress` for each megabyte; without that for `patience` ms, its signal is aborted
   * @throws BusyError if the process sends too many
   */
  async run(
    { holder, workspaceId }: Listener,
    send: (signal: AbortSignal, progress: () => void) => Promise<void>,
  ): Promise<void> {
    const excess = this.#findExcess({ holder, workspaceId });
    if (excess) this.#end(excess);
    const stream = { holder, workspaceId, controller: new AbortController() };
    this.#streams.add(stream);
    const timer = setTimeout(() => this.#end(stream), this.patience);
    try {
      await send(stream.controller.signal, () => void timer.refresh());
    } finally {
      clearTimeout(timer);
      this.#streams.delete(stream);
    }
  }

  /** Finds the stream that ends before another one begins. @throws BusyError */
  #findExcess({ holder, workspaceId }: Listener): Stream | undefined {
    const all = [...this.#streams];
    const own = all.filter((stream) => stream.holder === holder);
    if (own.length >= this.limits.ofHolder) return own[0];
    const near = all.filter((stream) => stream.workspaceId === workspaceId);
    if (near.length >= this.limits.ofWorkspace) return findLargest(near, "holder")[0];
    if (all.length < this.limits.inAll) return undefined;
    // A workspace with few streams is not kept out by those with many.
    const largest = findLargest(all, "workspaceId");
    if (largest.length <= near.length + 1) throw new BusyError("too many waiting");
    return largest[0];
  }

  #end(stream: Stream): void {
    this.#streams.delete(stream);
    stream.controller.abort();
  }
}

/** Returns the streams of the holder or workspace that has most. */
function findLargest(streams: readonly Stream[], by: keyof Listener): readonly Stream[] {
  const groups = new Map<string, Stream[]>();
  for (const stream of streams) groups.set(stream[by], [...(groups.get(stream[by]) ?? []), stream]);
  return [...groups.values()].reduce((largest, group) => (group.length > largest.length ? group : largest));
}
