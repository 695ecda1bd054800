import { FACT_NAMES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

const { calendarAttendees, calendarEvents, meetings, participants, summaries, tasks } = schema;

/** A part of a meeting that an edit can change. */
export type Part =
  | "facts"
  | "summary"
  | "participants"
  | "transcript"
  | "calendarEvent"
  | "tasks"
  | { readonly turn: number }
  /** Which turns a speaker has. */
  | { readonly turnsOf: string }
  | { readonly task: string };

/** A meeting's values by field, each as JSON; null and absent both mean that there is none. */
export type Snapshot = ReadonlyMap<string, string | null>;

/** Columns of a task that do not belong to its content, or follow from its meeting. */
const NOT_CONTENT = sql.raw(`'{meeting_id,user_id,workspace_id,created_in,updated_in,updated_at}'::text[]`);

/** The columns of `meetings` with content, by field. */
const FACTS = {
  title: meetings.title,
  ...Object.fromEntries(FACT_NAMES.map((name) => [name, meetings[name]])),
  startTime: meetings.startTime,
  endTime: meetings.endTime,
};

const selectFacts = (meetingId: string): SQL => {
  const values = Object.entries(FACTS).map(
    ([field, column]) => sql`(${field}::text, to_json(m.${sql.identifier(column.name)})::text)`,
  );
  return sql`select f.field, f.content from ${meetings} m
    cross join lateral (values ${sql.join(values, sql`, `)}) f (field, content) where m.id = ${meetingId}`;
};

const selectTasks = (meetingId: string, which: SQL): SQL => sql`
  select 'task:' || k.id, (to_jsonb(k) - ${NOT_CONTENT})::text from ${tasks} k
  where k.meeting_id = ${meetingId} and ${which}`;

const selectTurn = (meetingId: string, turn: number): SQL => sql`
  select 'turn:' || x.position, json_build_array(x.speaker_id, x.text, x.start_seconds, x.end_seconds)::text
  from read_segments_between(${meetingId}, ${turn}::int, ${turn}::int) x`;

const selectTurnsOf = (meetingId: string, label: string): SQL => sql`
  select 'turns:' || ${label}::text, json_agg(x.position order by x.position)::text
  from read_segments(${meetingId}) x where x.speaker_id = ${label}`;

const SELECTS: Readonly<Record<Extract<Part, string>, (meetingId: string) => SQL>> = {
  facts: selectFacts,
  summary: (meetingId) => sql`
    select 'summary', json_build_object(
      'markdown', s.markdown, 'short', s.short, 'locked', s.locked, 'origin', s.origin::json)::text
    from ${summaries} s where s.meeting_id = ${meetingId}`,
  participants: (meetingId) => sql`
    select 'participants', jsonb_agg(to_jsonb(p) - 'meeting_id' order by p.position)::text
    from ${participants} p where p.meeting_id = ${meetingId}`,
  transcript: (meetingId) => sql`
    select 'transcript', json_agg(
      json_build_array(x.speaker_id, x.text, x.start_seconds, x.end_seconds) order by x.position)::text
    from read_segments(${meetingId}) x`,
  calendarEvent: (meetingId) => sql`
    select 'calendarEvent', (to_jsonb(e) - 'meeting_id' || jsonb_build_object('attendees', (
      select coalesce(jsonb_agg(to_jsonb(a) - 'meeting_id' order by a.position), '[]')
      from ${calendarAttendees} a where a.meeting_id = e.meeting_id)))::text
    from ${calendarEvents} e where e.meeting_id = ${meetingId}`,
  tasks: (meetingId) => selectTasks(meetingId, sql`true`),
};

const selectPart = (meetingId: string, part: Part): SQL => {
  if (typeof part === "string") return SELECTS[part](meetingId);
  if ("turnsOf" in part) return selectTurnsOf(meetingId, part.turnsOf);
  return "turn" in part ? selectTurn(meetingId, part.turn) : selectTasks(meetingId, sql`k.id = ${part.task}`);
};

/** Reads the current values of some parts of a meeting. */
export async function readSnapshot(
  tx: Database,
  meetingId: string,
  parts: readonly Part[],
): Promise<Snapshot> {
  const selects = parts.map((part) => sql`(${selectPart(meetingId, part)})`);
  const rows = await tx
    .select({ field: sql<string>`field`, content: sql<string | null>`content` })
    .from(sql`(${sql.join(selects, sql` union all `)}) s (field, content)`);
  return new Map(rows.map(({ field, content }) => [field, content]));
}

/** Removes the state of a task and its creation time, which recorders send again. They don't make a version. */
const withoutState = (field: string, content: string | null): string | null => {
  if (content === null || !field.startsWith("task:")) return content;
  const { completed: _, created_at: __, ...task } = JSON.parse(content);
  return JSON.stringify(task);
};

/** Returns the values of `before` that differ in `after`. */
export function findReplacedValues(before: Snapshot, after: Snapshot): Snapshot {
  const fields = [...new Set([...before.keys(), ...after.keys()])];
  return new Map(
    fields
      .map((field) => [field, before.get(field) ?? null] as const)
      .filter(
        ([field, content]) => withoutState(field, content) !== withoutState(field, after.get(field) ?? null),
      ),
  );
}
