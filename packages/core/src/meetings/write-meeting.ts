import { type Database, insertRows, schema } from "@minutes/db";
import { indexMeeting } from "@minutes/search";
import { identify, listNames } from "../people/index.js";
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

/** The rows of a completed meeting, with lists in order. The meeting's id and owner are added to each row. */
export interface MeetingRows {
  readonly meeting: typeof meetings.$inferInsert;
  /** Null: the meeting has no summary. */
  readonly summary: (RenderedSummary & { readonly locked: boolean }) | null;
  readonly participants: readonly RowWithout<typeof participants, PlaceColumn>[];
  readonly segments: readonly RowWithout<typeof transcriptSegments, PlaceColumn>[];
  readonly tasks: readonly RowWithout<typeof tasks, PlaceColumn | "userId" | "workspaceId">[];
  /** Null: no calendar event is linked. */
  readonly event:
    | (RowWithout<typeof calendarEvents, "meetingId"> & {
        readonly attendees: readonly RowWithout<typeof calendarAttendees, PlaceColumn>[];
      })
    | null;
  readonly tagIds: readonly string[];
  /** The turns to index, one per segment. */
  readonly turns: readonly { readonly speaker: string; readonly text: string }[];
}

/**
 * Writes a completed meeting with all its data, identifies its people and indexes it. Part of the caller's transaction.
 */
export async function writeMeeting(tx: Database, rows: MeetingRows): Promise<void> {
  const { meeting, summary } = rows;
  const { id: meetingId, userId, workspaceId, title, startTime } = meeting;
  await tx.insert(meetings).values(meeting).prepare("insert_meeting").execute();
  if (summary) await tx.insert(summaries).values({ meetingId, ...summary });
  const people = await identify(tx, workspaceId, rows);
  await writeParts(tx, meetingId, { ...rows, participants: people.participants });
  const owner = { meetingId, userId, workspaceId };
  await insertRows(tx, tasks, people.tasks, (task, position) => ({ ...task, ...owner, position }));
  const link = { meetingId, ownerId: userId, startTime };
  await insertRows(tx, meetingTags, rows.tagIds, (tagId) => ({ tagId, ...link }), "nothing");
  await indexMeeting(tx, meetingId, title, renameTurns(rows, people.participants));
}

/** Gives the turns to index the names of speakers that were identified under another name. */
function renameTurns(
  { participants: sent, segments, turns }: Pick<MeetingRows, "participants" | "segments" | "turns">,
  identified: MeetingRows["participants"],
): MeetingRows["turns"] {
  const before = listNames(sent);
  const renamed = new Map([...listNames(identified)].filter(([id, name]) => before.get(id) !== name));
  if (renamed.size === 0) return turns;
  return turns.map(({ speaker, text }, at) => ({
    speaker: renamed.get(segments[at]?.speakerId ?? "") ?? speaker,
    text,
  }));
}

/** Writes speakers, transcript and calendar event. */
export async function writeParts(
  tx: Database,
  meetingId: string,
  rows: Pick<MeetingRows, "participants" | "segments" | "event">,
): Promise<void> {
  const addPosition = <Item extends object>(item: Item, position: number) => ({
    ...item,
    meetingId,
    position,
  });
  await insertRows(tx, participants, rows.participants, addPosition);
  // Assigned field by field: spreading hundreds of turns takes several times as long.
  await insertRows(
    tx,
    transcriptSegments,
    rows.segments,
    ({ speakerId, text, startSeconds, endSeconds }, position) => ({
      meetingId,
      position,
      speakerId,
      text,
      startSeconds,
      endSeconds,
    }),
  );
  if (!rows.event) return;
  const { attendees, ...facts } = rows.event;
  await tx.insert(calendarEvents).values({ meetingId, ...facts });
  await insertRows(tx, calendarAttendees, attendees, addPosition);
}
