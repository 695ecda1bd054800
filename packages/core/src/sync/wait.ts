import type { ChangePage } from "@minutes/contract";
import type { Database, Deadline } from "@minutes/db";
import { takeTurn } from "../api/rate-limit/index.js";
import { getHolder } from "./cursor.js";
import { type ChangesInput, type Feed, listChanges } from "./list.js";
import type { ChangeSignal } from "./signal.js";

/** Dependencies of a long-polling call, except the database. */
export interface WaitOptions {
  readonly changes: ChangeSignal;
  /** Calls back when the connection closes, to stop waiting. Returns a function that unsubscribes. */
  readonly onGone: (callback: () => void) => () => void;
  /** Verifies the caller's key again, without counting a request. @throws ApiError 401 if it is no longer valid */
  readonly requireKey: () => Promise<void>;
  /** Applies the call's deadline to a database read. @throws ApiError 503 */
  readonly withinDeadline: <Result>(work: (deadline: Deadline) => Promise<Result>) => Promise<Result>;
}

/**
 * Lists changes as `listChanges` does and, if there are none, waits up to `input.wait` seconds for one. Then, or when
 * the server stops, answers with an empty page. Holds no database connection while waiting.
 * @throws ApiError 429 if too many calls of the key's holder wait; 401 if the key was revoked during the wait
 */
export async function waitForChanges(
  db: Database,
  feed: Feed,
  { wait = 0, ...input }: ChangesInput & { readonly wait?: number | undefined },
  { changes, onGone, requireKey, withinDeadline }: WaitOptions,
): Promise<ChangePage> {
  const list = () => listChanges(db, feed, input);
  // Details of many meetings take a second of the database. A call that waits for changes has no turn.
  const read = () =>
    withinDeadline((deadline) =>
      input.include ? takeTurn(db, feed.caller, list, deadline, onGone) : list(),
    );
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
      if (isFull(page) || left <= 0 || gone || changes.stopped) {
        // Checked after reading the page, so the answer has no changes since a revocation.
        await withinDeadline(requireKey);
        return page;
      }
      await waiter.wait(left);
    }
  } finally {
    stopWatching();
    waiter.close();
  }
}

const isFull = ({ changes, hasMore }: ChangePage): boolean => changes.length > 0 || hasMore;
