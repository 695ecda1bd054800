import {
  type CreateTask,
  type DeleteTask,
  type EditedTask,
  LIMITS,
  MESSAGES,
  type UpdateMeetingTask,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import type { Caller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { findAssignee, forgetPeople, identify } from "../people/index.js";
import type { LockedMeeting } from "../versions/index.js";
import { correct, findMeetingOfTask } from "./correct.js";

const { participants, tasks } = schema;

/**
 * Adds a task at the end of a meeting's tasks.
 * @throws ApiError 404, 403, 409 for a stale base and for a meeting with the maximum of tasks
 */
export async function createTask(
  db: Database,
  caller: Caller,
  { meetingId, baseVersion, text, assignee = null, due = null }: CreateTask,
): Promise<EditedTask> {
  const id = generateId("tsk");
  const correction = { base: baseVersion, parts: [{ task: id }] };
  const edited = await correct(db, caller, meetingId, correction, async (tx, meeting) => {
    const [stored] = await tx
      .select({
        count: sql<number>`count(*)::int`,
        last: sql<number>`coalesce(max(${tasks.position}), -1)`,
      })
      .from(tasks)
      .where(eq(tasks.meetingId, meetingId));
    const { count, last } = stored ?? { count: 0, last: -1 };
    if (count >= LIMITS.tasksMax) throw new ApiError("CONFLICT", MESSAGES.tooManyTasks);
    const { ownerId: userId, workspaceId } = meeting;
    await tx.insert(tasks).values({
      ...{ id, meetingId, userId, workspaceId, text, position: last + 1, dueOn: due },
      ...(await toAssigneeColumns(tx, meeting, assignee)),
      createdAt: sql`now()`,
      createdIn: sql`transaction_number()`,
    });
    return { index: "notes" };
  });
  return { taskId: id, ...edited };
}

/**
 * Changes a task's text, assignee or due date.
 * @throws ApiError 404 for a task that does not exist or is not writable, 409 for a stale base
 */
export async function updateMeetingTask(
  db: Database,
  caller: Caller,
  { taskId, meetingId: within, baseVersion, text, assignee, due }: UpdateMeetingTask,
): Promise<EditedTask> {
  const meetingId = await findMeetingOfTask(db, caller, taskId, within);
  const correction = { base: baseVersion, parts: [{ task: taskId }] };
  const edited = await correct(db, caller, meetingId, correction, async (tx, meeting) => {
    const [before] = await tx
      .select({ personId: tasks.assigneePersonId })
      .from(tasks)
      .where(eq(tasks.id, taskId));
    const changed = await tx
      .update(tasks)
      .set({
        ...(text === undefined ? {} : { text }),
        ...(assignee === undefined ? {} : await toAssigneeColumns(tx, meeting, assignee)),
        ...(due === undefined ? {} : { dueOn: due }),
        updatedAt: sql`now()`,
      })
      .where(and(eq(tasks.id, taskId), eq(tasks.meetingId, meetingId)))
      .returning({ id: tasks.id });
    if (changed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.taskNotWritable);
    if (assignee !== undefined) await forgetPeople(tx, [before?.personId]);
    return { index: "notes", tasks: [taskId] };
  });
  return { taskId, ...edited };
}

/** Deletes a task. @throws ApiError 404 for a task that does not exist or is not writable, 409 for a stale base */
export async function deleteTask(
  db: Database,
  caller: Caller,
  { taskId, baseVersion }: DeleteTask,
): Promise<EditedTask> {
  const meetingId = await findMeetingOfTask(db, caller, taskId);
  const correction = { base: baseVersion, parts: [{ task: taskId }] };
  const edited = await correct(db, caller, meetingId, correction, async (tx) => {
    const gone = await tx
      .delete(tasks)
      .where(and(eq(tasks.id, taskId), eq(tasks.meetingId, meetingId)))
      .returning({ id: tasks.id });
    if (gone.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.taskNotWritable);
    return { index: "notes" };
  });
  return { taskId, ...edited };
}

/** Converts an assignee to columns. One who spoke is the speaker, as at ingest. */
async function toAssigneeColumns(
  tx: Database,
  { id: meetingId, workspaceId }: LockedMeeting,
  assignee: { readonly name: string; readonly email?: string | undefined } | null,
) {
  const nobody = { assigneeId: null, assigneeName: null, assigneeEmail: null, assigneePersonId: null };
  if (assignee === null) return nobody;
  const { name, email } = assignee;
  const speakers = await tx
    .select()
    .from(participants)
    .where(eq(participants.meetingId, meetingId))
    .orderBy(participants.position);
  const speaker = findAssignee(speakers, assignee);
  const task = { assigneeId: speaker?.id ?? null, assigneeName: name, assigneeEmail: email ?? null };
  // The background job identifies a speaker that the previous release stored.
  const identified = { participants: speakers.filter(({ personId }) => personId !== null), tasks: [task] };
  const {
    tasks: [{ assigneeId, assigneeName, assigneeEmail, assigneePersonId } = nobody],
  } = await identify(tx, workspaceId, identified);
  return { assigneeId, assigneeName, assigneeEmail, assigneePersonId };
}
