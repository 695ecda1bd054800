import { createHash } from "node:crypto";
import { boundedText, FIELD_MESSAGES, LIMITS } from "@minutes/contract";
import { z } from "zod";
import type { Caller } from "../access/index.js";
import { ApiError } from "../errors.js";

/** Everything in the feed up to this entry has been sent. */
export interface FeedPosition {
  /** The number of a transaction. */
  readonly number: number;
  /** Tags come before meetings; 0 is before both. */
  readonly kind: number;
  /** Id of the tag, or of the meeting to which the entry belongs. */
  readonly group: string;
  /** Id of the task; empty for the tag or the meeting itself. */
  readonly item: string;
}

/** What a chain of pages added to what was read before, while transactions were open. */
export interface FeedStep {
  /** The number that the chain before reached. */
  readonly since: number;
  /** The number that the chain's first page reached. */
  readonly top: number;
  /** No transaction with this number or a higher one had begun. */
  readonly started: number;
  /** The transactions below that had not ended. */
  readonly running: readonly number[];
}

/** When pages were read. All transactions below each number had ended by then. */
export interface FeedReads {
  /** When the last page was read. */
  readonly seen: number;
  /** When the first page of this chain of pages was read. */
  readonly chain: number;
  /** When the last page of the chain before it was read, which sent the rest of everything; 0 in the first chain. */
  readonly complete: number;
  /** Those during which a transaction ended that is newer than the caller's position. */
  readonly steps: readonly FeedStep[];
}

/** What a cursor remembers. */
export interface FeedCursor extends FeedPosition, FeedReads {
  /** The key of the last start before the last page. @see docs/decisions/0160-the-change-feed.md */
  readonly start: string;
  /** Unix seconds at which this chain of pages began. */
  readonly began: number;
  /** Whether the pages have details. */
  readonly detail: boolean;
}

/** A chain of pages that has sent nothing yet. */
export const NOTHING_SENT: FeedPosition = { number: 0, kind: 0, group: "", item: "" };

/** Before the first page. */
export const NOTHING_READ: FeedReads = { seen: 0, chain: 0, complete: 0, steps: [] };

/** In version 1 the first chain of pages sent what reaches the caller through links under other numbers. */
const VERSIONS = [1, 2] as const;
const VERSION = 2;
const CHECKSUM_BYTES = 9;
const count = z.int().min(0);
const id = boundedText(0, LIMITS.idMax);

/** Of a step: `since`, `top`, `started`, and by how much each of `running` is less. */
const Step = z.tuple([count, count, count, z.array(count)]);

const Content = z.tuple([
  z.literal(VERSIONS),
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
  z.array(Step).optional(),
]);

/** Names the holder of a key: cursors of one are refused to all others. */
export const getHolder = (caller: Caller): string =>
  caller.kind === "personal" ? `user:${caller.userId}` : `workspace:${caller.workspaceId}`;

const getChecksum = (content: string, caller: Caller): Buffer =>
  createHash("sha256")
    .update(`${getHolder(caller)}\n${content}`)
    .digest()
    .subarray(0, CHECKSUM_BYTES);

/** Writes a cursor for a caller. */
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

/** Reads a cursor of a caller. @throws ApiError 400 for one that is malformed, or another holder's */
export function parseFeedCursor(text: string, caller: Caller): FeedCursor {
  const bytes = Buffer.from(text, "base64url");
  const content = bytes.subarray(CHECKSUM_BYTES).toString("utf8");
  const isOwn =
    bytes.toString("base64url") === text &&
    getChecksum(content, caller).equals(bytes.subarray(0, CHECKSUM_BYTES));
  const parsed = Content.safeParse(isOwn ? parseJson(content) : undefined);
  if (!parsed.success) throw new ApiError("BAD_REQUEST", FIELD_MESSAGES.cursor ?? "");
  const [version, number, kind, group, item, seen, chain, completed, start, began, detail, steps = []] =
    parsed.data;
  // Nothing was visible before 1, so that a first chain of version 1 goes on as a later one.
  const complete = version === 1 ? Math.max(1, completed) : completed;
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

/** Parses JSON that somebody may have made up; undefined for anything else. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
