import { sql } from "drizzle-orm";

/** Ranks of entries with the same number: a tag comes before the meetings that have it. */
export const TAG_KIND = 1;
export const MEETING_KIND = 2;

/** What distinguishes the statements that read a page. */
export interface FeedShape {
  readonly personal: boolean;
  /** False: nothing reaches the caller through links, and nothing did. */
  readonly linked: boolean;
  readonly detail: boolean;
  /** Entries that are read, one more than the page has. */
  readonly rows: number;
}

/** The user or workspace of the key. */
export const caller = sql.placeholder("caller");
/** The scope in `sync_removals` that is the caller's own. */
export const holder = sql.placeholder("holder");
/** Entries have numbers below this one. */
export const top = sql.placeholder("top");
/**
 * In the first chain of pages, when it began, otherwise 0. What reaches the caller through a link is sent by that chain
 * under the number of the link, as it is when the page is read, so that changes before the chain need no entry.
 */
export const laterFrom = sql.placeholder("laterFrom");
/** When the caller's pages were read. */
export const seen = sql.placeholder("seen");
export const chain = sql.placeholder("chain");
export const complete = sql.placeholder("complete");
/** `FeedStep`s in JSON. */
export const steps = sql.placeholder("steps");

/** Entries of meetings and their tasks come after these three. */
export const afterNumber = sql.placeholder("meetingNumber");
export const afterMeeting = sql.placeholder("meetingId");
export const afterTask = sql.placeholder("taskId");

/** Entries of tags come after these two. */
export const afterTagNumber = sql.placeholder("tagNumber");
export const afterTag = sql.placeholder("tagId");
