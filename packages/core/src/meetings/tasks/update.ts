import { MESSAGES, type UpdatedTask } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  authorOf,
  buildOwnedCondition,
  buildScopeCondition,
  type Caller,
  editableBy,
  type OwnedScope,
  type UserCaller,
  visibleTo,
} from "../../access/index.js";
import { insertMeetingEvents, isSubscribedTo, notifyWorkers } from "../../events/index.js";
import { ApiError } from "../../lib/errors.js";
import { isAssignedTo } from "../../people/index.js";
import { changeMeeting, editAlone } from "../../versions/index.js";

const { meetings, tasks } = schema;

/** The changes. Absent fields stay unchanged. */
export interface TaskChange {
  readonly taskId: string;
  readonly completed?: boolean | undefined;
  readonly text?: string | undefined;
}

/**
 * Changes a task that the caller owns. A new text creates a version of the meeting; completing a task doesn't. Tasks visible
 * through shares are not writable, so only sources that match the owner count.
 * @see docs/specification.md#update-task
 * @returns the id and exactly the supplied fields
 * @throws ApiError 404 for a task that does not exist or is not writable
 */
export async function updateTask(db: Database, caller: Caller, change: TaskChange): Promise<UpdatedTask> {
  return toAnswer(change, await updateOwned(db, caller, change));
}

/**
 * Changes a task as `updateTask` does. The assignee can also complete and reopen it in another's meeting that they can read.
 * @throws ApiError 404 for a task that does not exist or is not writable
 */
export async function updateAssignedTask(
  db: Database,
  caller: Caller,
  change: TaskChange,
): Promise<UpdatedTask> {
  const isUpdated =
    (await updateOwned(db, caller, change)) ||
    (caller.kind === "user" && change.text === undefined && (await completeAssigned(db, caller, change)));
  return toAnswer(change, isUpdated);
}

function toAnswer({ taskId, completed, text }: TaskChange, isUpdated: boolean): UpdatedTask {
  if (!isUpdated) throw new ApiError("NOT_FOUND", MESSAGES.taskNotWritable);
  return {
    taskId,
    ...(text === undefined ? {} : { text }),
    ...(completed === undefined ? {} : { completed }),
  };
}

/** Changes a task of a meeting that the caller can edit. @returns false if it is not writable */
const updateOwned = (db: Database, caller: Caller, change: TaskChange): Promise<boolean> =>
  change.text === undefined ? complete(db, editableBy(caller), change) : rewrite(db, caller, change);

/** Completes or reopens a task of a meeting that was shared. @returns false if none is assigned to the caller */
async function completeAssigned(
  db: Database,
  caller: UserCaller,
  { taskId, completed }: TaskChange,
): Promise<boolean> {
  const scope = visibleTo(caller);
  const find = async (tx: Database) => {
    const [task] = await tx
      .select({ meetingId: sql<string>`k.meeting_id` })
      .from(sql`${tasks} k join ${meetings} m on m.id = k.meeting_id`)
      .where(
        sql`k.id = ${taskId} and ${buildScopeCondition(scope)} and ${isAssignedTo(sql`${sql.placeholder("caller")}`)}`,
      )
      .prepare("find_assigned_task")
      .execute(scope.values);
    return task?.meetingId;
  };
  const meetingId = await find(db);
  if (!meetingId) return false;
  // Again with the meeting locked: the share can end while this waits.
  const authorize = async (tx: Database) => {
    if (!(await find(tx))) throw new ApiError("NOT_FOUND", MESSAGES.taskNotWritable);
  };
  const work = async (tx: Database) => {
    const updated = await tx
      .update(tasks)
      .set({ completed, updatedAt: sql`now()` })
      .where(and(eq(tasks.id, taskId), eq(tasks.meetingId, meetingId)))
      .returning({ id: tasks.id });
    return updated.length > 0 ? ({ result: true, tasks: [taskId], announce: "tasks" } as const) : null;
  };
  const changed = await db.transaction((tx) => changeMeeting(tx, meetingId, { authorize, work }));
  return changed?.result ?? false;
}

/** Completes or reopens a task, which search does not read. @returns false if it is not writable */
async function complete(
  db: Database,
  scope: OwnedScope,
  { taskId, completed }: TaskChange,
): Promise<boolean> {
  const name = `update_task_${scope.name}`;
  const values = { ...scope.values, taskId, completed };
  let rows = await runNamedStatement(db, name, () => updateWithoutEvent(scope), values);
  if (rows.length === 0)
    rows = await runNamedStatement(db, `${name}_recorded`, () => updateAndRecordEvent(scope), values);
  return rows.length > 0;
}

/**
 * Changes a task's text, which is an edit of its meeting.
 * @returns false if it is not writable
 */
async function rewrite(
  db: Database,
  caller: Caller,
  { taskId, completed, text }: TaskChange,
): Promise<boolean> {
  const scope = editableBy(caller);
  const isWritable = and(eq(tasks.id, taskId), buildOwnedCondition(scope, "tasks"));
  const [task] = await db
    .select({ meetingId: tasks.meetingId })
    .from(tasks)
    .where(isWritable)
    .prepare(`find_task_${scope.name}`)
    .execute(scope.values);
  if (!task) return false;
  const { meetingId } = task;
  const edit = {
    actor: authorOf(caller),
    action: "edit",
    base: null,
    parts: [{ task: taskId }],
  } as const;
  const work = async (tx: Database) => {
    const updated = await tx
      .update(tasks)
      .set({ text, ...(completed === undefined ? {} : { completed }), updatedAt: sql`now()` })
      .where(isWritable)
      .returning({ id: tasks.id })
      .prepare(`rewrite_task_${scope.name}`)
      .execute(scope.values);
    if (updated.length === 0) return null;
    return { result: true, index: "notes", tasks: [taskId], announce: "tasks" } as const;
  };
  const changed = await editAlone(meetingId, () =>
    db.transaction((tx) => changeMeeting(tx, meetingId, { edit, work })),
  );
  return changed?.result ?? false;
}

const updateIfWritable = (scope: OwnedScope): SQL => sql`
    update ${tasks} k set
      completed = ${sql.placeholder("completed")}::boolean,
      updated_at = now()
    where id = ${sql.placeholder("taskId")} and ${buildOwnedCondition(scope, "k")}`;

/** Updates the task if no webhook subscribes to it, without the cost of recording an event. */
const updateWithoutEvent = (scope: OwnedScope): SQL =>
  sql`${updateIfWritable(scope)} and not ${isSubscribedTo("task.updated")} returning id`;

const updateAndRecordEvent = (scope: OwnedScope): SQL => sql`
  with updated as (${updateIfWritable(scope)} returning id, meeting_id),
    recorded as (${insertMeetingEvents("task.updated", sql`select meeting_id, array[id::text] as subjects from updated`)})
  select id, case when exists (select from recorded) then ${notifyWorkers} end from updated`;
