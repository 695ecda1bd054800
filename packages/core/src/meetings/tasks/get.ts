import { MESSAGES, type TaskWithDue } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Caller, readableBy, type Scope } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { isCompletable, type TaskRow, taskColumns, toTaskListItem } from "./list.js";

const { meetings, tasks } = schema;

/** Reads a task with its due date. @throws ApiError 404 for one that does not exist or that the caller can't read */
export async function getTask(db: Database, caller: Caller, taskId: string): Promise<TaskWithDue> {
  const scope = readableBy(caller);
  const [row] = await runNamedStatement<TaskRow & Pick<TaskWithDue, "due" | "canComplete">>(
    db,
    `task_${scope.name}`,
    () => selectTask(scope, caller.kind === "user" ? isCompletable : sql`true`),
    {
      ...scope.values,
      taskId,
    },
  );
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.taskNotFound);
  return { ...toTaskListItem(row), due: row.due, canComplete: row.canComplete };
}

const selectTask = (scope: Scope, completable: SQL): SQL => sql`
  select ${taskColumns}, k.due_on::text as due, ${completable} as "canComplete" from ${tasks} k join ${meetings} m on m.id = k.meeting_id
  where k.id = ${sql.placeholder("taskId")} and ${buildScopeCondition(scope)}`;
