import type { ChangePage } from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Caller } from "../access/index.js";
import { getHolder } from "./cursor.js";
import { type ChangesInput, type Feed, listChanges } from "./list.js";
import type { ChangeSignal } from "./signal.js";

const { meetingShares, tagShares } = schema;

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
  const scopes = await withinDeadline(() => listScopes(db, feed.caller));
  const waiter = await withinDeadline(() => changes.watch(getHolder(feed.caller), scopes));
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

/** Lists the scopes whose changes concern a caller: their own, and those who share something with them. */
async function listScopes(db: Database, caller: Caller): Promise<string[]> {
  if (caller.kind === "workspace") return [getHolder(caller)];
  const owners = await execute<{ id: string }>(
    db,
    "owners_who_share",
    () => sql`
      select owner_id as id from ${meetingShares} where user_id = ${sql.placeholder("caller")}
      union select owner_id from ${tagShares} where user_id = ${sql.placeholder("caller")}`,
    { caller: caller.userId },
  );
  return [getHolder(caller), ...owners.map(({ id }) => `user:${id}`)];
}
