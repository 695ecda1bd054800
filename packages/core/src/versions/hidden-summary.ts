import type { SummaryOrigin } from "@minutes/contract";
import { type Database, schema, writeArray } from "@minutes/db";
import { eq, type SQL, sql } from "drizzle-orm";

const { meetings, meetingVersionContents, summaries } = schema;

/** A summary as versions store it. */
export interface StoredSummary {
  readonly markdown: string;
  readonly short: string;
  /** Absent in versions that were stored before summaries had it. */
  readonly origin?: SummaryOrigin | null;
  /** True if the plan locked it when it was replaced, and has not unlocked it since. */
  readonly locked: boolean;
}

/**
 * Returns a function that tells whether a summary of an earlier version must be hidden: as long as the meeting's summary
 * is locked, and if it was locked when it was replaced, until the plan unlocks it.
 */
export async function isSummaryHidden(
  db: Database,
  meetingId: string,
): Promise<(content: string | null) => boolean> {
  const [current] = await db
    .select({ locked: summaries.locked })
    .from(summaries)
    .where(eq(summaries.meetingId, meetingId));
  return (content) =>
    content !== null && (current?.locked === true || (JSON.parse(content) as StoredSummary).locked);
}

const isSummary = sql`${meetingVersionContents.field} = 'summary'`;
const isStoredLocked = sql`(${meetingVersionContents.content}::jsonb ->> 'locked')::boolean`;

/** Selects the IDs of a user's meetings whose earlier versions have a locked summary. */
export const selectMeetingsWithLockedVersions = (userId: string): SQL => sql`
  select ${meetingVersionContents.meetingId} from ${meetingVersionContents}
  join ${meetings} on ${meetings.id} = ${meetingVersionContents.meetingId}
  where ${meetings.userId} = ${userId} and case when ${isSummary} then ${isStoredLocked} else false end`;

/** Unlocks the summaries of the earlier versions of meetings, with which their summaries are unlocked. */
export async function unlockVersions(tx: Database, meetingIds: readonly string[]): Promise<void> {
  await tx
    .update(meetingVersionContents)
    .set({ content: sql`jsonb_set(${meetingVersionContents.content}::jsonb, '{locked}', 'false')::text` })
    .where(
      sql`${meetingVersionContents.meetingId} = any(${writeArray(meetingIds)}::text::text[])
        and case when ${isSummary} then ${isStoredLocked} else false end`,
    );
}
