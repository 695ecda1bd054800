import { createHash } from "node:crypto";
import { runInBatches } from "@minutes/background";
import { boundedText, FIELD_MESSAGES, LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Caller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";

/** A position in the feed. Everything up to this entry has been sent. */
export interface FeedPosition {
  /** A transaction number. */
  readonly number: number;
  /** Tags come before meetings; 0 is before both. */
  readonly kind: number;
  /** Id of the tag, or of the entry's meeting. */
  readonly group: string;
  /** Id of the task; empty for a tag or meeting. */
  readonly item: string;
}

/** The progress of one chain of pages while transactions were open. */
interface FeedStep {
  /** The number that the previous chain reached. */
  readonly since: number;
  /** The number that the chain's first page reached. */
  readonly top: number;
  /** No transaction with this number or higher had begun. */
  readonly started: number;
  /** Lower-numbered transactions that had not ended. */
  readonly running: readonly number[];
}

/** When pages were read, as transaction numbers. All transactions below each number had ended. */
export interface FeedProgress {
  /** When the last page was read. */
  readonly seen: number;
  /** When the first page of this chain was read. */
  readonly chain: number;
  /** When the last page of the previous chain was read, which completed the copy; 0 in the first chain. */
  readonly complete: number;
  /** The steps during which a transaction newer than the caller's position ended. */
  readonly steps: readonly FeedStep[];
}

/** The content of a cursor. */
export interface FeedCursor extends FeedPosition, FeedProgress {
  /** The key of the last start before the last page. @see docs/decisions/0160-change-feed.md */
  readonly start: string;
  /** When this chain of pages began, in Unix seconds. */
  readonly began: number;
  /** Whether pages include details. */
  readonly detail: boolean;
}

/** The position of a chain that has sent nothing yet. */
export const NOTHING_SENT: FeedPosition = { number: 0, kind: 0, group: "", item: "" };

/** The reads before the first page. */
export const NOTHING_READ: FeedProgress = { seen: 0, chain: 0, complete: 0, steps: [] };

const VERSION = 2;
const CHECKSUM_BYTES = 9;
const count = z.int().min(0);
const id = boundedText(0, LIMITS.idMax);

/** A step as `since`, `top`, `started`, and the differences to each of `running`. */
const Step = z.tuple([count, count, count, z.array(count)]);

const Content = z.tuple([
  z.literal(VERSION),
  count,
  z.int().min(0).max(2),
  id,
  id,
  count,
  count,
  count,
  id,
  count,
  z.int().min(0).max(1),
  z.array(Step),
]);

/** Returns the id of a key's holder. Cursors of another holder are refused. */
export const getHolder = (caller: Caller): string =>
  caller.kind === "user" ? `user:${caller.userId}` : `workspace:${caller.workspaceId}`;

const getChecksum = (content: string, caller: Caller): Buffer =>
  createHash("sha256")
    .update(`${getHolder(caller)}\n${content}`)
    .digest()
    .subarray(0, CHECKSUM_BYTES);

/** Formats a cursor for a caller. */
export function formatFeedCursor(cursor: FeedCursor, caller: Caller): string {
  const { number, kind, group, item, seen, chain, complete, start, began, detail, steps } = cursor;
  const content = JSON.stringify([
    VERSION,
    number,
    kind,
    group,
    item,
    seen,
    chain,
    complete,
    start,
    began,
    detail ? 1 : 0,
    steps.map(({ since, top, started, running }) => [
      since,
      top,
      started,
      running.map((number) => started - number),
    ]),
  ] satisfies z.infer<typeof Content>);
  return Buffer.concat([getChecksum(content, caller), Buffer.from(content)]).toString("base64url");
}

/** Parses a caller's cursor. @throws ApiError 400 if it is malformed or belongs to another holder */
export function parseFeedCursor(text: string, caller: Caller): FeedCursor {
  const bytes = Buffer.from(text, "base64url");
  const content = bytes.subarray(CHECKSUM_BYTES).toString("utf8");
  const isOwn =
    bytes.toString("base64url") === text &&
    getChecksum(content, caller).equals(bytes.subarray(0, CHECKSUM_BYTES));
  const parsed = Content.safeParse(isOwn ? parseJson(content) : undefined);
  if (!parsed.success) throw new ApiError("BAD_REQUEST", FIELD_MESSAGES.cursor ?? "");
  const [, number, kind, group, item, seen, chain, complete, start, began, detail, steps] = parsed.data;
  return {
    number,
    kind,
    group,
    item,
    seen,
    chain,
    complete,
    start,
    began,
    detail: detail === 1,
    steps: steps.map(([since, top, started, running]) => ({
      since,
      top,
      started,
      running: running.map((less) => started - less),
    })),
  };
}

/** Parses untrusted JSON; undefined if it is invalid. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const { syncRemovals, syncStarts } = schema;

/** One day longer than the lifetime of a cursor. */
const KEPT_DAYS = LIMITS.syncCursorDays + 1;

/** Deletes removals and starts that no valid cursor needs. */
export async function purgeSync(db: Database): Promise<void> {
  const cutoff = sql`now() - make_interval(days => ${KEPT_DAYS}::int)`;
  await runInBatches((limit) =>
    db
      .delete(syncRemovals)
      .where(
        sql`(${syncRemovals.scope}, ${syncRemovals.type}, ${syncRemovals.id}) in (
          select r.scope, r.type, r.id from ${syncRemovals} r where r.at < ${cutoff} order by r.at limit ${limit})
          and ${syncRemovals.at} < ${cutoff}`,
      )
      .returning({ id: syncRemovals.id }),
  );
  // A cursor names the last start before it, which can be older than the cursor.
  await db
    .delete(syncStarts)
    .where(sql`${syncStarts.id} < (select max(s.id) from ${syncStarts} s where s.at < ${cutoff})`);
}
