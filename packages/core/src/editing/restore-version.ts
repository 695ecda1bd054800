import { type EditedMeeting, FACT_NAMES, MESSAGES, type RestoreVersion } from "@minutes/contract";
import { type Database, insertRows, schema, writeArray } from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Caller, requireEditable } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { type RenderedSummary, renderSummary } from "../meetings/index.js";
import { forgetPeople, listPeople, readSpeakers, reidentify } from "../people/index.js";
import {
  type Part,
  readVersionDifferences,
  type StoredSummary,
  type StoredTurn,
  type VersionDifferences,
} from "../versions/index.js";
import { correct } from "./correct.js";

const { calendarAttendees, calendarEvents, meetings, participants, summaries, tasks, transcriptSegments } =
  schema;

const FACT_FIELDS = ["title", ...FACT_NAMES, "startTime", "endTime"] as const;

/**
 * Restores the content of an earlier version as a new version. Restored tasks keep their state and get new ids if they
 * had been deleted. A summary that is locked stays as it is.
 * @throws ApiError 404 for an unknown meeting and for a version that isn't kept, 403, 409 for a stale base
 */
export async function restoreVersion(
  db: Database,
  caller: Caller,
  { meetingId, version, baseVersion }: RestoreVersion,
): Promise<EditedMeeting> {
  await requireEditable(db, caller, meetingId);
  // Read before the transaction, because rendering can take seconds. A value that has changed since is refused there.
  const summary = await renderStored(
    (await readVersionDifferences(db, meetingId, version)).values.get("summary"),
  );
  return correct(
    db,
    caller,
    meetingId,
    { action: "restore", base: baseVersion, parts: ALL },
    async (tx, meeting) => {
      const differences = await readVersionDifferences(tx, meetingId, version);
      const former = await listPeople(tx, meetingId);
      const speakers = await readSpeakers(tx, meetingId);
      await writeDifferences(tx, meetingId, differences, summary);
      // The people may have moved, or been forgotten since.
      await reidentify(tx, meetingId, meeting.workspaceId, speakers);
      await forgetPeople(tx, former);
      return { index: "meeting" };
    },
  );
}

const ALL: readonly Part[] = ["facts", "summary", "participants", "transcript", "calendarEvent", "tasks"];

/** A stored summary with its HTML. */
interface RenderedVersion {
  readonly content: string;
  readonly rendered: RenderedSummary & { readonly locked: boolean };
}

async function renderStored(content: string | null | undefined): Promise<RenderedVersion | null> {
  if (!content) return null;
  const { locked, ...summary } = JSON.parse(content) as StoredSummary;
  return { content, rendered: { ...(await renderSummary(summary)), locked } };
}

async function writeDifferences(
  tx: Database,
  meetingId: string,
  { values, turns, labels }: VersionDifferences,
  summary: RenderedVersion | null,
): Promise<void> {
  const facts = FACT_FIELDS.filter((field) => values.has(field)).map((field): [string, unknown] => [
    field,
    JSON.parse(values.get(field) ?? "null"),
  ]);
  if (facts.length > 0)
    await tx.update(meetings).set(Object.fromEntries(facts)).where(eq(meetings.id, meetingId));
  if (values.has("summary")) await writeSummary(tx, meetingId, values.get("summary") ?? null, summary);
  if (values.has("participants")) {
    await tx.delete(participants).where(eq(participants.meetingId, meetingId));
    await insertJson(tx, sql`${participants}`, parseRows(values.get("participants"), meetingId));
  }
  if (values.has("transcript")) await writeTranscript(tx, meetingId, values.get("transcript") ?? "[]");
  for (const [position, [, text]] of turns)
    await tx
      .update(transcriptSegments)
      .set({ text })
      .where(and(eq(transcriptSegments.meetingId, meetingId), eq(transcriptSegments.position, position)));
  await writeLabels(tx, meetingId, labels);
  if (values.has("calendarEvent")) await writeEvent(tx, meetingId, values.get("calendarEvent") ?? null);
  for (const [field, content] of values)
    if (field.startsWith("task:")) await writeTask(tx, meetingId, field.slice("task:".length), content);
}

/** Inserts rows that are stored as a JSON list with the names of columns. Columns that came later get their default. */
async function insertJson(
  tx: Database,
  table: SQL,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return;
  const columns = sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  );
  await tx.execute(sql`insert into ${table} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${table}, ${JSON.stringify(rows)}::jsonb)`);
}

async function writeSummary(
  tx: Database,
  meetingId: string,
  content: string | null,
  summary: RenderedVersion | null,
): Promise<void> {
  const [stored] = await tx
    .select({ locked: summaries.locked })
    .from(summaries)
    .where(eq(summaries.meetingId, meetingId))
    .for("update");
  if (stored?.locked) return;
  if (content === null) {
    await tx.delete(summaries).where(eq(summaries.meetingId, meetingId));
    return;
  }
  if (summary?.content !== content) throw new ApiError("CONFLICT", MESSAGES.versionNotFound);
  const { rendered } = summary;
  await tx
    .insert(summaries)
    .values({ meetingId, ...rendered })
    .onConflictDoUpdate({ target: summaries.meetingId, set: rendered });
}

async function writeTranscript(tx: Database, meetingId: string, content: string): Promise<void> {
  await tx.delete(transcriptSegments).where(eq(transcriptSegments.meetingId, meetingId));
  await insertRows(
    tx,
    transcriptSegments,
    JSON.parse(content) as StoredTurn[],
    ([speakerId, text, startSeconds, endSeconds], position) => ({
      ...{ meetingId, position, speakerId, text, startSeconds, endSeconds },
    }),
  );
}

/** Gives turns back to their speakers, in one statement. */
async function writeLabels(
  tx: Database,
  meetingId: string,
  labels: ReadonlyMap<number, string>,
): Promise<void> {
  if (labels.size === 0) return;
  const position = transcriptSegments.position;
  await tx
    .update(transcriptSegments)
    .set({ speakerId: sql`l.label` })
    .from(
      sql`unnest(${writeArray([...labels.keys()])}::text::int[], ${writeArray([...labels.values()])}::text::text[]) l (position, label)`,
    )
    .where(
      sql`${transcriptSegments.meetingId} = ${meetingId} and ${position} = l.position and ${transcriptSegments.speakerId} <> l.label`,
    );
}

async function writeEvent(tx: Database, meetingId: string, content: string | null): Promise<void> {
  await tx.delete(calendarEvents).where(eq(calendarEvents.meetingId, meetingId));
  const { attendees = [], ...event } = content === null ? {} : JSON.parse(content);
  if (content !== null) {
    await insertJson(tx, sql`${calendarEvents}`, [{ ...event, meeting_id: meetingId }]);
    await insertJson(tx, sql`${calendarAttendees}`, parseRows(JSON.stringify(attendees), meetingId));
  }
  await tx
    .update(meetings)
    .set({ calendarEventId: event.id ?? null })
    .where(eq(meetings.id, meetingId));
}

/** Columns of a task that a restoration keeps. */
const KEPT_COLUMNS = ["id", "meeting_id", "user_id", "workspace_id", "completed", "created_at", "updated_at"];

/** Writes a task as it was; null: it did not exist. A deleted task comes back with a new id, which copies don't know. */
async function writeTask(
  tx: Database,
  meetingId: string,
  taskId: string,
  content: string | null,
): Promise<void> {
  const isTask = and(eq(tasks.id, taskId), eq(tasks.meetingId, meetingId));
  if (content === null) {
    await tx.delete(tasks).where(isTask);
    return;
  }
  const task = JSON.parse(content) as Record<string, unknown>;
  if ((await tx.$count(tasks, isTask)) > 0) {
    const columns = Object.keys(task).filter((name) => !KEPT_COLUMNS.includes(name));
    const list = sql.join(
      columns.map((name) => sql.identifier(name)),
      sql`, `,
    );
    await tx.execute(sql`update ${tasks} set (${list}, updated_at) = (
      select ${list}, now() from jsonb_populate_record(null::${tasks}, ${content}::jsonb)) where id = ${taskId}`);
    return;
  }
  const [place] = await tx
    .select({ user_id: meetings.userId, workspace_id: meetings.workspaceId })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  const [row] = await tx
    .select({ updated_at: sql<string>`now()::text`, created_in: sql<string>`transaction_number()::text` })
    .from(sql`(values (1)) one`);
  await insertJson(tx, sql`${tasks}`, [
    { ...task, id: generateId("tsk"), meeting_id: meetingId, ...place, ...row },
  ]);
}

/** Parses stored rows of a meeting. */
const parseRows = (content: string | null | undefined, meetingId: string): Record<string, unknown>[] =>
  (JSON.parse(content ?? "[]") as object[]).map((row) => ({ ...row, meeting_id: meetingId }));
