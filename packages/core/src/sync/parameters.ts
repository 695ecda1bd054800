import { sql } from "drizzle-orm";

/** Order of entries with the same number: a tag comes before its meetings. */
export const TAG_KIND = 1;
export const MEETING_KIND = 2;

/** The variants of the statements that read a page. */
export interface FeedShape {
  readonly personal: boolean;
  /** False: no objects are or were shared with the caller. */
  readonly linked: boolean;
  readonly detail: boolean;
  /** Number of rows to read from each source: one more than the page has, and the meeting at the cursor. */
  readonly rows: number;
}

/** The user or workspace of the key. */
export const caller = sql.placeholder("caller");
/** The caller's own scope in `sync_removals`. */
export const holder = sql.placeholder("holder");
/** Upper bound of entry numbers, exclusive. */
export const top = sql.placeholder("top");
/**
 * When the first chain of pages began; 0 in later chains. The first chain sends linked objects in their current state
 * under the number of the link, so earlier changes need no entry.
 */
export const laterFrom = sql.placeholder("laterFrom");
/** Progress of the chain of pages: these four are the fields of `FeedProgress`; the steps are JSON. */
export const seen = sql.placeholder("seen");
export const chain = sql.placeholder("chain");
export const complete = sql.placeholder("complete");
export const steps = sql.placeholder("steps");

/** Entries of meetings and their tasks come after these three. */
export const afterNumber = sql.placeholder("meetingNumber");
export const afterMeeting = sql.placeholder("meetingId");
export const afterTask = sql.placeholder("taskId");

/** Entries of tags come after these two. */
export const afterTagNumber = sql.placeholder("tagNumber");
export const afterTag = sql.placeholder("tagId");
