import { type Change, type ChangePage, LIMITS, MESSAGES } from "@minutes/contract";
import type { Database } from "@minutes/db";
import type { Caller, Scope } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { getRowLimit } from "../lib/paging.js";
import { getMeeting } from "../meetings/index.js";
import {
  type FeedCursor,
  formatFeedCursor,
  getHolder,
  NOTHING_READ,
  NOTHING_SENT,
  parseFeedCursor,
} from "./cursor.js";
import { getSubject, type ListItems, readListItems } from "./data.js";
import { type Entry, readEntries } from "./entries.js";
import { checkFeedCursor } from "./state.js";

/**
 * Maximum number of chains that a cursor remembers. Each began during a transaction that was open before the previous
 * chain.
 */
const MOST_STEPS = 8;

/** Parameters of a page of the feed. */
export interface ChangesInput {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly include?: readonly "detail"[] | undefined;
  /** True without a cursor: skips what is there already. */
  readonly fromNow?: boolean | undefined;
}

/** The caller of a feed and their scope. */
export interface Feed {
  readonly caller: Caller;
  readonly scope: Scope;
}

/**
 * Lists a caller's changes since a cursor in transaction order: the current state of visible objects, and removals of
 * those no longer visible. Without a cursor it starts with everything.
 * @see docs/decisions/0160-change-feed.md
 * @throws ApiError 400 for a malformed cursor, GoneError 410 for one that is no longer valid
 */
export async function listChanges(db: Database, feed: Feed, input: ChangesInput): Promise<ChangePage> {
  const { caller, scope } = feed;
  const detail = input.include !== undefined;
  const cursor = input.cursor === undefined ? null : parseFeedCursor(input.cursor, caller);
  if (cursor && cursor.detail !== detail) throw new ApiError("BAD_REQUEST", MESSAGES.syncOtherInclude);
  const state = await checkFeedCursor(db, caller, cursor);
  const { horizon: top, lastStart: start, unixSeconds: now, linked } = state;
  const isWithinChain = cursor !== null && cursor.kind !== 0;
  const chain = isWithinChain ? cursor.chain : top;
  const complete = cursor?.complete ?? 0;
  const entries = input.fromNow
    ? []
    : await readEntries(
        db,
        scope,
        getHolder(caller),
        // Sources read the meeting at the cursor again, for its remaining tasks. It takes a row but can add no entry.
        { personal: caller.kind === "user", linked, detail, rows: getRowLimit(input.limit) + 1 },
        {
          after: cursor ?? NOTHING_SENT,
          reads: cursor ?? NOTHING_READ,
          laterFrom: complete === 0 ? chain : 0,
          top,
        },
      );
  const page = entries.slice(0, input.limit);
  const items = await readListItems(db, scope, page);
  const { changes, sent } = await toChanges(db, scope, page, items, detail);
  const hasMore = sent < entries.length;
  const last = hasMore ? page[sent - 1] : undefined;
  const position = last ?? { ...NOTHING_SENT, number: top };
  const steps = [
    ...(cursor?.steps ?? []),
    ...(isWithinChain || !state.running
      ? []
      : [{ since: complete, top, started: state.started, running: state.running }]),
  ];
  const next: FeedCursor = {
    ...position,
    seen: top,
    chain: hasMore ? chain : top,
    complete: hasMore ? complete : top,
    steps: steps
      .filter(({ since, top, started }) => since < top && started > position.number)
      .slice(-MOST_STEPS),
    start,
    began: hasMore && cursor ? cursor.began : now,
    detail,
  };
  return { changes, nextCursor: formatFeedCursor(next, caller), hasMore };
}

/**
 * Converts entries to changes, keeping the last one of each object. With details, ends the page before it grows too
 * long.
 * @returns the changes, and the number of entries they cover: at least one
 */
async function toChanges(
  db: Database,
  scope: Scope,
  page: readonly Entry[],
  items: ListItems,
  detail: boolean,
): Promise<{ changes: Change[]; sent: number }> {
  const changes = new Map<string, Change>();
  let characters = 0;
  let sent = 0;
  for (const entry of page) {
    if (characters > LIMITS.syncPageCharacters) break;
    sent++;
    const { type, id } = getSubject(entry);
    const key = `${type} ${id}`;
    changes.delete(key);
    if (!entry.visible) {
      changes.set(key, { type, id, op: "removed", reason: entry.deleted ? "deleted" : "access" });
      continue;
    }
    const item = items(type, id);
    if (!item) continue;
    if (!detail || item.type !== "meeting") changes.set(key, item);
    else {
      const whole = await findDetail(db, scope, id);
      if (!whole) continue;
      changes.set(key, { ...item, data: { ...item.data, ...whole } });
      const { transcript, ...others } = whole;
      characters += transcript.length + JSON.stringify(others).length;
    }
  }
  return { changes: [...changes.values()], sent };
}

/** Reads a meeting with all its details; null if the caller can no longer see it. */
const findDetail = (db: Database, scope: Scope, meetingId: string) =>
  getMeeting(db, scope, meetingId).catch((error: unknown) => {
    if (error instanceof ApiError && (error.code === "NOT_FOUND" || error.code === "FORBIDDEN")) return null;
    throw error;
  });
