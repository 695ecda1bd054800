import { type Database, runSteps, schema, yieldToEventLoop } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { type Chunk, chunkTranscript } from "./chunk.js";

const { calendarAttendees, calendarEvents, meetings, searchDocuments, summaries, tasks } = schema;

/** The content of a meeting other than its transcript. */
export interface Notes {
  readonly title: string;
  /** Generated title and event title; may repeat the title or be null. */
  readonly otherTitles: readonly (string | null)[];
  readonly attendees: readonly string[];
  /** Lines of the summary; empty if there is none, or if it is locked. */
  readonly summary: readonly string[];
  readonly tasks: readonly { readonly text: string; readonly assignee: string | null }[];
}

/** Maximum number of indexed chunks of notes per meeting. */
const CHUNKS_MAX = 500;

/**
 * Builds the condition that a meeting has more notes than its title, whose words count in the transcript's chunks. A
 * locked summary does not count.
 */
const hasNotes = (meetingId: SQL): SQL => sql`(
  exists (select from ${meetings} t where t.id = ${meetingId} and t.generated_title is not null)
  or exists (select from ${summaries} s where s.meeting_id = ${meetingId} and not s.locked)
  or exists (select from ${tasks} k where k.meeting_id = ${meetingId})
  or exists (select from ${calendarEvents} e where e.meeting_id = ${meetingId})
  or not exists (select from ${searchDocuments} d where d.meeting_id = ${meetingId} and d.first_chunk = 0))`;

/** Matches meetings with notes that are not indexed. */
const hasMissingNotes = (meetingId: SQL): SQL => sql`(
  not exists (select from ${searchDocuments} d where d.meeting_id = ${meetingId} and d.first_chunk > 0) and ${hasNotes(meetingId)})`;

/**
 * Reads the notes of a meeting that are not indexed yet; null if there are none. The only place that reads a summary for
 * search: a locked one is never read.
 */
export async function readNotes(tx: Database, meetingId: string): Promise<Notes | null> {
  const [row] = await tx
    .select({ notes: sql<string>`notes` })
    .from(sql`(
      select json_build_object(
        'title', m.title,
        'otherTitles', json_build_array(m.generated_title, e.title),
        'attendees', (select coalesce(json_agg(a.name order by a.position), '[]') from ${calendarAttendees} a where a.meeting_id = m.id),
        'short', s.short,
        'markdown', s.markdown,
        'tasks', (select coalesce(json_agg(json_build_object('text', k.text, 'assignee', k.assignee_name) order by k.position, k.id), '[]')
          from ${tasks} k where k.meeting_id = m.id)
      )::text as notes
      from ${meetings} m
      left join ${calendarEvents} e on e.meeting_id = m.id
      left join ${summaries} s on s.meeting_id = m.id and not s.locked
      where m.id = ${meetingId}::text and ${hasMissingNotes(sql`m.id`)}
    ) read`)
    .prepare("read_notes")
    .execute();
  if (!row) return null;
  const { short, markdown, ...notes } = JSON.parse(row.notes);
  const text = markdown ?? "";
  const lines: string[] = text.split("\n");
  return { ...notes, summary: short && !text.includes(short) ? [short, ...lines] : lines };
}

/** Splits notes into chunks: title, generated title and attendees in the first, then the summary, then each task. */
export async function chunkNotes({ title, otherTitles, attendees, summary, tasks }: Notes): Promise<Chunk[]> {
  const about = [...new Set([title, ...otherTitles, attendees.join(", ")])];
  const parts = [
    about.map((text) => ({ speaker: "", text: text ?? "" })),
    summary.map((text) => ({ speaker: "", text })),
    ...tasks.slice(0, CHUNKS_MAX).map(({ text, assignee }) => [{ speaker: assignee ?? "", text }]),
  ];
  const chunks: Chunk[] = [];
  for (const part of parts) {
    if (chunks.length % 16 === 0) await yieldToEventLoop();
    chunks.push(...(await runSteps(chunkTranscript(part))));
  }
  return chunks.slice(0, CHUNKS_MAX);
}
