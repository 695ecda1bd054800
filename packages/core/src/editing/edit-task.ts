import {
  type AddTask,
  type DeleteTask,
  type EditedTask,
  type EditTask,
  LIMITS,
  MESSAGES,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { reindexNotes } from "@minutes/search";
import { and, eq, sql } from "drizzle-orm";
import { recordTaskEvent } from "../events/index.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { forgetPeople, identify } from "../people/index.js";
import { correct, type Editor, findMeetingOfTask, readWorkspace } from "./correct.js";

const { meetings, participants, tasks } = schema;

/**
 * Adds a task at the end of a meeting's tasks.
 * @throws ApiError 404, 403, 409 for a stale base and for a meeting with the maximum of tasks
 */
export async function addTask(
  db: Database,
  editor: Editor,
  { meetingId, baseVersion, text, assignee = null, due = null }: AddTask,
): Promise<EditedTask> {
  const id = generateId("tsk");
  const correction = { base: baseVersion, parts: [{ task: id }] };
  const edited = await correct(db, editor, meetingId, correction, async (tx) => {
    const [place] = await tx
      .select({
        userId: meetings.userId,
        workspaceId: meetings.workspaceId,
        count: sql<number>`(select count(*)::int from ${tasks} k where k.meeting_id = ${meetingId})`,
        last: sql<number>`(select coalesce(max(k.position), -1) from ${tasks} k where k.meeting_id = ${meetingId})`,
      })
      .from(meetings)
      .where(eq(meetings.id, meetingId));
    if (!place) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
    const { userId, workspaceId, count, last } = place;
    if (count >= LIMITS.tasksMax) throw new ApiError("CONFLICT", MESSAGES.tooManyTasks);
    await tx.insert(tasks).values({
      ...{ id, meetingId, userId, workspaceId, text, position: last + 1, dueOn: due },
      ...(await toAssigneeColumns(tx, meetingId, assignee)),
      createdAt: sql`now()`,
      createdIn: sql`transaction_number()`,
    });
    await reindexNotes(tx, meetingId);
  });
  return { taskId: id, ...edited };
}

/**
 * Changes a task's text, assignee or due date.
 * @throws ApiError 404 for a task that does not exist or is not writable, 409 for a stale base
 */
export async function editTask(
  db: Database,
  editor: Editor,
  { taskId, meetingId: within, baseVersion, text, assignee, due }: EditTask,
): Promise<EditedTask> {
  const meetingId = await findMeetingOfTask(db, editor, taskId, within);
  const correction = { base: baseVersion, parts: [{ task: taskId }] };
  const edited = await correct(db, editor, meetingId, correction, async (tx) => {
    const [before] = await tx
      .select({ personId: tasks.assigneePersonId })
      .from(tasks)
      .where(eq(tasks.id, taskId));
    const changed = await tx
      .update(tasks)
      .set({
        ...(text === undefined ? {} : { text }),
        ...(assignee === undefined ? {} : await toAssigneeColumns(tx, meetingId, assignee)),
        ...(due === undefined ? {} : { dueOn: due }),
        updatedAt: sql`now()`,
      })
      .where(and(eq(tasks.id, taskId), eq(tasks.meetingId, meetingId)))
      .returning({ id: tasks.id });
    if (changed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.taskNotWritable);
    if (assignee !== undefined) await forgetPeople(tx, [before?.personId]);
    await reindexNotes(tx, meetingId);
    await recordTaskEvent(tx, meetingId, taskId);
  });
  return { taskId, ...edited };
}

/** Deletes a task. @throws ApiError 404 for a task that does not exist or is not writable, 409 for a stale base */
export async function deleteTask(
  db: Database,
  editor: Editor,
  { taskId, baseVersion }: DeleteTask,
): Promise<EditedTask> {
  const meetingId = await findMeetingOfTask(db, editor, taskId);
  const correction = { base: baseVersion, parts: [{ task: taskId }] };
  const edited = await correct(db, editor, meetingId, correction, async (tx) => {
    const gone = await tx
      .delete(tasks)
      .where(and(eq(tasks.id, taskId), eq(tasks.meetingId, meetingId)))
      .returning({ id: tasks.id });
    if (gone.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.taskNotWritable);
    await reindexNotes(tx, meetingId);
  });
  return { taskId, ...edited };
}

/** Converts an assignee to columns. One who spoke is matched to the speaker by e-mail address or name, as at ingest. */
async function toAssigneeColumns(
  tx: Database,
  meetingId: string,
  assignee: { readonly name: string; readonly email?: string | undefined } | null,
) {
  const nobody = { assigneeId: null, assigneeName: null, assigneeEmail: null, assigneePersonId: null };
  if (assignee === null) return nobody;
  const { name, email } = assignee;
  const speakers = await tx
    .select()
    .from(participants)
    .where(eq(participants.meetingId, meetingId))
    .orderBy(sql`${participants.position} desc`);
  const speaker =
    (email !== undefined && speakers.find((one) => one.email === email)) ||
    speakers.find((one) => one.name === name);
  const task = { assigneeId: speaker?.id ?? null, assigneeName: name, assigneeEmail: email ?? null };
  // The background job identifies a speaker that the previous release stored.
  const identified = { participants: speakers.filter(({ personId }) => personId !== null), tasks: [task] };
  const {
    tasks: [{ assigneeId, assigneeName, assigneeEmail, assigneePersonId } = nobody],
  } = await identify(tx, await readWorkspace(tx, meetingId), identified);
  return { assigneeId, assigneeName, assigneeEmail, assigneePersonId };
}
