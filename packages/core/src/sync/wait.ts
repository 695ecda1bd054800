import type { ChangePage } from "@minutes/contract";
import type { Database } from "@minutes/db";
import { getHolder } from "./cursor.js";
import { type ChangesInput, type Feed, listChanges } from "./list.js";
import type { ChangeSignal } from "./signal.js";

/** What a call that may wait needs besides the database. */
export interface WaitOptions {
  readonly changes: ChangeSignal;
  /** Calls back when the connection closes, so that nobody waits any more. Returns a function that stops it. */
  readonly onGone: (callback: () => void) => () => void;
  /** Lets a read of the database take its time and no more. @throws ApiError 503 */
  readonly withinDeadline: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Lists changes as `listChanges` does, and waits for one where there is none, up to `input.wait` seconds. The answer is
 * an empty page after that, and at once when the server stops. No connection of the database is held meanwhile.
 * @throws ApiError 429 when too many calls of the key's holder wait
 */
export async function waitForChanges(
  db: Database,
  feed: Feed,
  { wait = 0, ...input }: ChangesInput & { readonly wait?: number | undefined },
  { changes, onGone, withinDeadline }: WaitOptions,
): Promise<ChangePage> {
  const read = () => withinDeadline(() => listChanges(db, feed, input));
  const first = await read();
  if (wait === 0 || isFull(first)) return first;
  const end = performance.now() + wait * 1000;
  const waiter = await withinDeadline(() => changes.watch(getHolder(feed.caller)));
  let gone = false;
  const stopWatching = onGone(() => {
    gone = true;
    waiter.close();
  });
  try {
    for (;;) {
      const page = await read();
      const left = end - performance.now();
      if (isFull(page) || left <= 0 || gone || changes.stopped) return page;
      await waiter.wait(left);
    }
  } finally {
    stopWatching();
    waiter.close();
  }
}

const isFull = ({ changes, hasMore }: ChangePage): boolean => changes.length > 0 || hasMore;
