import { type Database, schema } from "@minutes/db";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

const { keptAudio, meetingHolds } = schema;

/** The condition that a meeting is on hold. */
export const isHeld = (meetingId: SQLWrapper): SQL =>
  sql`exists (select from ${meetingHolds} h where h.meeting_id = ${meetingId})`;

/** The condition that the kept audio in the row `k` can be heard: it is written, and has not ended. */
export const isAudible = sql`k.ready and (k.expires_at > now() or ${isHeld(sql`k.meeting_id`)})`;

/** Returns true if the audio of a meeting can be heard, where its file is. */
export async function hasAudibleAudio(db: Database, meetingId: string): Promise<boolean> {
  const found = await db
    .select({ id: sql`k.id` })
    .from(sql`${keptAudio} k`)
    .where(sql`k.meeting_id = ${meetingId} and ${isAudible}`);
  return found.length > 0;
}
