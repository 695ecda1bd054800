import { type Database, runNamedStatement, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { Scope } from "../access/index.js";
import type { FeedPosition, FeedProgress } from "./cursor.js";
import { selectLinked } from "./linked-entries.js";
import { selectOwn, selectTags } from "./own-entries.js";
import { type FeedShape, MEETING_KIND, TAG_KIND } from "./parameters.js";

/** An entry of the feed: the changed object without its data. */
export interface Entry extends FeedPosition {
  /** False: no longer visible to the caller. */
  readonly visible: boolean;
  /** True: deleted. False: only access may have ended. */
  readonly deleted: boolean;
}

/** The range of entries to read. */
export interface EntryRange {
  readonly after: FeedPosition;
  /** When earlier pages were read. */
  readonly reads: FeedProgress;
  /** When the first chain of pages began; 0 after it. */
  readonly laterFrom: number;
  /** Upper bound of entry numbers, exclusive. */
  readonly top: number;
}

/**
 * Reads the next entries of a scope's feed in order. Each source is read from its own index and stops after a page, so
 * the cost depends on the page, not on the total.
 */
export async function readEntries(
  db: Database,
  scope: Scope,
  holder: string,
  shape: FeedShape,
  { after, reads, laterFrom, top }: EntryRange,
): Promise<Entry[]> {
  const [tag, meeting] = [toBound(after, TAG_KIND), toBound(after, MEETING_KIND)];
  const rows = await runNamedStatement<Omit<Entry, "number"> & { number: string }>(
    db,
    `changes_${scope.name}_${shape.linked}_${shape.rows}_${shape.detail}`,
    () => selectEntries(shape),
    {
      ...scope.values,
      holder,
      top: String(top),
      laterFrom: String(laterFrom),
      seen: String(reads.seen),
      chain: String(reads.chain),
      complete: String(reads.complete),
      steps: JSON.stringify(reads.steps),
      tagNumber: String(tag.number),
      tagId: tag.group,
      meetingNumber: String(meeting.number),
      meetingId: meeting.group,
      taskId: meeting.item,
    },
  );
  return rows.map((row) => ({ ...row, number: Number(row.number) }));
}

/** Converts a position among all entries to the equivalent position among entries of one kind. */
function toBound(after: FeedPosition, kind: number): FeedPosition {
  if (kind === after.kind) return after;
  // Of another kind with the same number, either all entries come after the position or none.
  return { number: after.number + (kind < after.kind ? 1 : 0), kind, group: "", item: "" };
}

function selectEntries(shape: FeedShape): SQL {
  const sources = [
    ...selectOwn(shape),
    ...(shape.personal ? selectTags() : []),
    ...(shape.personal && shape.linked ? selectLinked(shape) : []),
  ];
  const all = sql.join(
    sources.map((source) => sql`(${source})`),
    sql` union `,
  );
  return sql`
    select number::text as number, kind, id as "group", item, visible, deleted from (${all}) entries
    order by entries.number, kind, id collate "C", item collate "C" limit ${toSqlNumber(shape.rows)}`;
}
