import { MESSAGES, type UpdatedTask } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildOwnedCondition, type OwnedScope } from "../access/index.js";
import { ApiError } from "../errors.js";
import { insertMeetingEvents, notifyWorkers, someWebhookChose } from "../events/index.js";

const { tasks } = schema;

/** The changes. Absent fields stay unchanged. */
export interface TaskChange {
  readonly taskId: string;
  readonly completed?: boolean | undefined;
  readonly text?: string | undefined;
}

/**
 * Changes a task that the caller owns. Tasks visible through shares are not writable, so only sources that match the
 * owner count.
 * @see docs/specification.md#update-task
 * @returns the id and exactly the supplied fields
 * @throws ApiError 404 for a task that does not exist or is not writable
 */
export async function updateTask(db: Database, scope: OwnedScope, change: TaskChange): Promise<UpdatedTask> {
  const { taskId, completed, text } = change;
  const name = `update_task_${scope.name}`;
  const values = { ...scope.values, taskId, completed, text };
  let rows = await runNamedStatement(db, name, () => updateQuietly(scope), values);
  if (rows.length === 0)
    rows = await runNamedStatement(db, `${name}_announced`, () => updateAndAnnounce(scope), values);
  if (rows.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.taskNotWritable);
  return {
    taskId,
    ...(text === undefined ? {} : { text }),
    ...(completed === undefined ? {} : { completed }),
  };
}

const updateIfWritable = (scope: OwnedScope): SQL => sql`
    update ${tasks} k set
      completed = coalesce(${sql.placeholder("completed")}::boolean, completed),
      text = coalesce(${sql.placeholder("text")}::text, text),
      updated_at = now()
    where id = ${sql.placeholder("taskId")} and ${buildOwnedCondition(scope, "k")}`;

/** Updates where no webhook wants to know of it, without the cost of the statement that announces. */
const updateQuietly = (scope: OwnedScope): SQL =>
  sql`${updateIfWritable(scope)} and not ${someWebhookChose("task.updated")} returning id`;

const updateAndAnnounce = (scope: OwnedScope): SQL => sql`
  with updated as (${updateIfWritable(scope)} returning id, meeting_id),
    announced as (${insertMeetingEvents("task.updated", sql`select meeting_id, array[id::text] as subjects from updated`)})
  select id, case when exists (select from announced) then ${notifyWorkers} end from updated`;
