import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";

const { summaries } = schema;

/** A summary as versions store it. */
export interface StoredSummary {
  readonly markdown: string;
  readonly short: string;
  /** True if the plan locked it when it was replaced. */
  readonly locked: boolean;
}

/**
 * Returns a function that tells whether a summary of an earlier version must be hidden: as long as the meeting's summary
 * is locked, and if it was replaced by none while it was locked.
 */
export async function isSummaryHidden(
  db: Database,
  meetingId: string,
): Promise<(content: string | null) => boolean> {
  const [current] = await db
    .select({ locked: summaries.locked })
    .from(summaries)
    .where(eq(summaries.meetingId, meetingId));
  return (content) => content !== null && (current?.locked ?? (JSON.parse(content) as StoredSummary).locked);
}
