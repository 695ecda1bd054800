import { MESSAGES, type TaskWithDue } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { type TaskRow, taskColumns, toTaskListItem } from "./list.js";

const { meetings, tasks } = schema;

/** Reads a task with its due date. @throws ApiError 404 for one that does not exist or is outside the scope */
export async function getTask(db: Database, scope: Scope, taskId: string): Promise<TaskWithDue> {
  const [row] = await runNamedStatement<TaskRow & { due: string | null }>(
    db,
    `task_${scope.name}`,
    () => selectTask(scope),
    {
      ...scope.values,
      taskId,
    },
  );
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.taskNotFound);
  return { ...toTaskListItem(row), due: row.due };
}

const selectTask = (scope: Scope): SQL => sql`
  select ${taskColumns}, k.due_on::text as due from ${tasks} k join ${meetings} m on m.id = k.meeting_id
  where k.id = ${sql.placeholder("taskId")} and ${buildScopeCondition(scope)}`;
