import type { MeetingFacts } from "@minutes/contract";
import { type Database, insertRows, schema, writeArray } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { findAssignee, forgetPeople, identify } from "../people/index.js";
import type { LockedMeeting } from "../versions/index.js";
import { type MeetingRows, writeParts } from "./write-meeting.js";

const { calendarEvents, meetings, participants, summaries, tasks, transcriptSegments } = schema;

type TaskRow = MeetingRows["tasks"][number];

/** New content of a meeting. Its owner and tags don't change, so they are not included. */
export interface ReplacedContent
  extends Omit<MeetingRows, "meeting" | "tagIds" | "summary" | "tasks" | "turns"> {
  readonly meeting: Pick<typeof meetings.$inferInsert, "title" | "startTime" | "endTime"> &
    Partial<MeetingFacts>;
  /** Null removes the summary; absent keeps it. `locked` applies if the meeting had none. */
  readonly summary?: MeetingRows["summary"];
  /** Absent keeps the tasks. */
  readonly tasks?: readonly TaskRow[];
}

/**
 * Replaces the rows of a locked meeting. ID, owner, shares, tags and the summary's lock stay
 * unchanged. A task with the same text as an old one keeps its id and its completed state. A speaker that somebody named
 * keeps their person and name, by the recorder's label.
 * @returns true if a task was sent as completed but stays open
 */
export async function replaceMeeting(
  tx: Database,
  locked: LockedMeeting,
  content: ReplacedContent,
): Promise<boolean> {
  const { meeting, summary, event } = content;
  const meetingId = locked.id;
  const speakers = await tx.select().from(participants).where(eq(participants.meetingId, meetingId));
  const labels = new Set(content.participants.map(({ id }) => id));
  // The recorder doesn't know these names.
  const named = speakers.filter((speaker) => speaker.named && labels.has(speaker.id));
  const sent = (content.tasks ?? []).map((task) => assignByName(task, named));
  const people = await identify(
    tx,
    locked.workspaceId,
    { participants: content.participants, tasks: sent },
    speakers,
  );
  const reopened = content.tasks ? await replaceTasks(tx, locked, people.tasks) : false;
  const [stored] = await tx
    .select({ id: calendarEvents.id })
    .from(calendarEvents)
    .where(eq(calendarEvents.meetingId, meetingId));
  const kept = event && stored ? { ...event, id: stored.id } : event;
  await tx
    .update(meetings)
    .set({ ...meeting, calendarEventId: kept?.id ?? null })
    .where(eq(meetings.id, meetingId));
  await tx.delete(calendarEvents).where(eq(calendarEvents.meetingId, meetingId));
  await tx.delete(participants).where(eq(participants.meetingId, meetingId));
  await tx.delete(transcriptSegments).where(eq(transcriptSegments.meetingId, meetingId));
  await writeParts(tx, meetingId, { ...content, participants: people.participants, event: kept });
  if (!content.tasks) await followSpeakers(tx, meetingId);
  if (summary === null) await tx.delete(summaries).where(eq(summaries.meetingId, meetingId));
  else if (summary) {
    const { locked: _, ...text } = summary;
    await tx
      .insert(summaries)
      .values({ meetingId, ...summary })
      .onConflictDoUpdate({ target: summaries.meetingId, set: text });
  }
  await forgetPeople(
    tx,
    speakers.map(({ personId }) => personId),
  );
  return reopened;
}

/** Assigns a task that has only an assignee's name to the speaker with that name, if any. */
const assignByName = (task: TaskRow, speakers: readonly (typeof participants.$inferSelect)[]): TaskRow => {
  const { assigneeId, assigneeName: name, assigneeEmail } = task;
  if (assigneeId || assigneeEmail || !name) return task;
  return { ...task, assigneeId: findAssignee(speakers, { name })?.id ?? null };
};

/** Gives kept tasks the people of the speakers they are assigned to. */
const followSpeakers = (tx: Database, meetingId: string): Promise<unknown> =>
  tx.execute(sql`
    update ${tasks} k set assignee_person_id = p.person_id from ${participants} p
    where k.meeting_id = ${meetingId} and p.meeting_id = k.meeting_id and p.id = k.assignee_id
      and k.assignee_person_id is distinct from p.person_id`);

/** Replaces the tasks of a meeting. @returns as `replaceMeeting` */
async function replaceTasks(
  tx: Database,
  { id: meetingId, ownerId: userId, workspaceId }: LockedMeeting,
  sent: readonly TaskRow[],
): Promise<boolean> {
  // Locked, so that a task's change comes before or after.
  const stored = await tx
    .select()
    .from(tasks)
    .where(eq(tasks.meetingId, meetingId))
    .orderBy(tasks.position)
    .for("update");
  const byText = new Map<string, typeof stored>();
  for (const task of stored) byText.set(task.text, [...(byText.get(task.text) ?? []), task]);
  const added: (TaskRow & { readonly position: number })[] = [];
  let reopened = false;
  for (const [position, task] of sent.entries()) {
    const known = byText.get(task.text)?.shift();
    if (!known) {
      added.push({ ...task, position });
      continue;
    }
    if (task.completed && !known.completed) reopened = true;
    const { assigneeId, assigneeName, assigneeEmail, assigneePersonId, createdAt } = task;
    const dueOn = task.dueOn ?? known.dueOn;
    const facts = { position, assigneeId, assigneeName, assigneeEmail, assigneePersonId, dueOn, createdAt };
    const isSame = Object.entries(facts).every(
      ([field, value]) => known[field as keyof typeof facts] === value,
    );
    if (isSame) continue;
    await tx
      .update(tasks)
      .set({ ...facts, updatedAt: sql`now()` })
      .where(eq(tasks.id, known.id));
  }
  const gone = [...byText.values()].flat().map(({ id }) => id);
  await tx.delete(tasks).where(sql`${tasks.id} = any(${writeArray(gone)}::text::text[])`);
  const createdIn = sql`transaction_number()`;
  await insertRows(tx, tasks, added, (task) => ({ ...task, userId, workspaceId, meetingId, createdIn }));
  return reopened;
}
