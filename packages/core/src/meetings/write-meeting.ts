import { type Database, insertRows, schema } from "@minutes/db";
import { indexMeeting } from "@minutes/search";
import type { SQL } from "drizzle-orm";
import { writeInBatches } from "../batches.js";
import type { RenderedSummary } from "./render-summary.js";

const {
  calendarAttendees,
  calendarEvents,
  meetings,
  meetingTags,
  participants,
  summaries,
  tasks,
  transcriptSegments,
} = schema;

type RowWithout<Table extends { readonly $inferInsert: object }, Given extends string> = Omit<
  Table["$inferInsert"],
  Given
>;
type PlaceColumn = "meetingId" | "position";

/** The rows of a completed meeting. Lists are in their order; the meeting's id and owner are added to each row. */
export interface MeetingRows {
  readonly meeting: typeof meetings.$inferInsert;
  /** Null: the meeting has no summary. */
  readonly summary: (RenderedSummary & { readonly locked: boolean }) | null;
  readonly participants: readonly RowWithout<typeof participants, PlaceColumn>[];
  readonly segments: readonly RowWithout<typeof transcriptSegments, PlaceColumn>[];
  readonly tasks: readonly (RowWithout<typeof tasks, PlaceColumn | "userId" | "workspaceId" | "createdAt"> & {
    readonly createdAt: string | SQL;
  })[];
  /** Null: no calendar event is linked. */
  readonly event:
    | (RowWithout<typeof calendarEvents, "meetingId"> & {
        readonly attendees: readonly RowWithout<typeof calendarAttendees, PlaceColumn>[];
      })
    | null;
  readonly tagIds: readonly string[];
  /** What search indexes. */
  readonly turns: readonly { readonly speaker: string; readonly text: string }[];
}

/** Writes a completed meeting with everything that belongs to it, and indexes it. Part of the caller's transaction. */
export async function writeMeeting(
  tx: Database,
  rows: MeetingRows,
  index: typeof indexMeeting = indexMeeting,
): Promise<void> {
  const { meeting, summary, event } = rows;
  const { id: meetingId, userId, workspaceId, title, startTime } = meeting;
  const addPositions = <Item extends object>(items: readonly Item[]) =>
    items.map((item, position) => ({ ...item, meetingId, position }));
  await tx.insert(meetings).values(meeting).prepare("insert_meeting").execute();
  if (summary) await tx.insert(summaries).values({ meetingId, ...summary });
  await insertRows(tx, participants, addPositions(rows.participants));
  await insertRows(
    tx,
    transcriptSegments,
    // Field by field: a spread of hundreds of turns takes several times as long.
    rows.segments.map(({ speakerId, text, startSeconds, endSeconds }, position) => ({
      meetingId,
      position,
      speakerId,
      text,
      startSeconds,
      endSeconds,
    })),
  );
  const owned = addPositions(rows.tasks).map((task) => ({ ...task, userId, workspaceId }));
  await writeInBatches(owned, (batch) => tx.insert(tasks).values(batch));
  if (event) {
    const { attendees, ...facts } = event;
    await tx.insert(calendarEvents).values({ meetingId, ...facts });
    await insertRows(tx, calendarAttendees, addPositions(attendees));
  }
  const links = rows.tagIds.map((tagId) => ({ tagId, meetingId, ownerId: userId, startTime }));
  await writeInBatches(links, (batch) => tx.insert(meetingTags).values(batch).onConflictDoNothing());
  await index(tx, meetingId, title, rows.turns);
}
