import { setTimeout } from "node:timers/promises";
import type { Database } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

/** Number of meetings found at once. */
const FOUND = 100;
/** Attempts for a meeting whose transaction fails, such as the victim of a deadlock. */
const ATTEMPTS = 5;

/** Builds a statement that selects the `id` of meetings after an ID, in order, at most `limit`. */
export type FindMeetings = (after: string, limit: number) => SQL;

/**
 * Runs background work on meetings, each in a short transaction of its own. A meeting that fails holds up no other: it is
 * tried again when the rest is done. A hundred failures end the run.
 * @returns the number of meetings that were found
 * @throws Error of a meeting that failed every time, after all others are done
 */
export async function runOnMeetings(
  db: Database,
  signal: AbortSignal,
  find: FindMeetings,
  run: (tx: Database, meetingId: string) => Promise<unknown>,
): Promise<number> {
  let count = 0;
  let failed: { readonly id: string; readonly error: unknown }[] = [];
  /** Runs the work on some meetings. @returns false if it was aborted */
  const runAll = async (ids: readonly string[]) => {
    for (const id of ids) {
      if (signal.aborted) return false;
      const started = performance.now();
      await db.transaction((tx) => run(tx, id)).catch((error: unknown) => failed.push({ id, error }));
      // Half of the time, so that lists stay fast while a million meetings change.
      await setTimeout(performance.now() - started);
    }
    return true;
  };
  const list = async (after: string) => {
    const found = sql`(${find(after, FOUND)}) found`;
    const rows = await db.select({ id: sql<string>`id` }).from(found).orderBy(sql`id`);
    return rows.map(({ id }) => id);
  };
  for (let last: string | undefined = ""; last !== undefined; ) {
    const ids: string[] = await list(last);
    if (!(await runAll(ids))) return count;
    count += ids.length;
    if (failed.length >= FOUND) break;
    last = ids.length < FOUND ? undefined : ids.at(-1);
  }
  for (let attempt = 1; attempt < ATTEMPTS && failed.length > 0 && failed.length < FOUND; attempt++) {
    const again = failed.map(({ id }) => id);
    failed = [];
    if (!(await runAll(again))) return count;
  }
  const [first] = failed;
  if (first) throw first.error;
  return count;
}
