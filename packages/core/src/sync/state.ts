import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Caller } from "../access/index.js";
import { GoneError } from "../lib/errors.js";
import { type FeedCursor, getHolder } from "./cursor.js";
import { caller, holder } from "./parameters.js";

const { meetingShares, syncRemovals, syncStarts, tagShares } = schema;

/** The current state of the feed. */
export interface FeedState {
  /** All transactions below this number have ended. */
  readonly horizon: number;
  /** No transaction with this number or higher has begun. */
  readonly started: number;
  /** Lower-numbered open transactions; null if there are too many to remember. */
  readonly running: readonly number[] | null;
  /** The key of the last start; empty if none is recorded. */
  readonly lastStart: string;
  /** The database's clock in Unix seconds. */
  readonly unixSeconds: number;
  /** False: no object of others, and no tag, is or was visible to the caller through sharing. */
  readonly linked: boolean;
}

interface StateRow {
  readonly top: string;
  readonly started: string;
  /** A JSON list of numbers. */
  readonly running: string;
  readonly start: string;
  readonly now: string;
  readonly known: boolean;
  /** The number of the start after the cursor's; null if there is none. */
  readonly next: string | null;
  readonly linked: boolean;
}

/**
 * Maximum number of open transactions in a cursor. With more, a removal may be sent for an object that was never sent.
 */
const MOST_RUNNING = 30;

const start = sql.placeholder("start");

const selectState = () => sql`
  select ended_transactions()::text as top,
    (transaction_base() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint)::text as started,
    (select coalesce(json_agg(transaction_base() + x::text::bigint), '[]')::text from pg_snapshot_xip(pg_current_snapshot()) x)
      as running,
    extract(epoch from statement_timestamp())::bigint::text as now,
    coalesce((select s.key from ${syncStarts} s order by s.id desc limit 1), '') as start,
    (${start}::text = '' or exists (select from ${syncStarts} s where s.key = ${start})) as known,
    (select n.number::text from ${syncStarts} n
      where n.id > coalesce((select s.id from ${syncStarts} s where s.key = ${start}), 0)
      order by n.id limit 1) as next,
    exists (select from ${meetingShares} s where s.user_id = ${caller})
      or exists (select from ${tagShares} t where t.user_id = ${caller})
      or exists (select from ${syncRemovals} r where r.scope = ${holder} and r.type = 'tag') as linked`;

/**
 * Checks that a cursor is still valid, and reads the state of the feed.
 * @throws GoneError 410 after 90 days, and after restoring a backup older than the cursor
 */
export async function checkFeedCursor(
  db: Database,
  feedCaller: Caller,
  cursor: FeedCursor | null,
): Promise<FeedState> {
  const [row] = await runNamedStatement<StateRow>(db, "feed_state", selectState, {
    start: cursor?.start ?? "",
    caller: feedCaller.kind === "user" ? feedCaller.userId : null,
    holder: getHolder(feedCaller),
  });
  if (!row) throw new Error("The feed has no state.");
  const [top, now] = [Number(row.top), Number(row.now)];
  const running: number[] = JSON.parse(row.running);
  if (cursor) {
    const reached = Math.max(cursor.number, cursor.seen);
    const isLost = !row.known || reached > top || (row.next !== null && reached > Number(row.next));
    if (isLost || now - cursor.began > LIMITS.syncCursorDays * 86_400)
      throw new GoneError(MESSAGES.syncAgain);
  }
  return {
    horizon: top,
    started: Number(row.started),
    running: running.length > MOST_RUNNING ? null : running,
    lastStart: row.start,
    unixSeconds: now,
    linked: row.linked,
  };
}
