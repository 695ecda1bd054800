import { MESSAGES, type TaskListItem } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope } from "../access/index.js";
import { ApiError } from "../errors.js";
import { type TaskRow, taskColumns, toTaskListItem } from "./list.js";

const { meetings, tasks } = schema;

/** Reads a task. @throws ApiError 404 for one that does not exist or is outside the scope */
export async function getTask(db: Database, scope: Scope, taskId: string): Promise<TaskListItem> {
  const [row] = await runNamedStatement<TaskRow>(db, `task_${scope.name}`, () => selectTask(scope), {
    ...scope.values,
    taskId,
  });
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.taskNotFound);
  return toTaskListItem(row);
}

const selectTask = (scope: Scope): SQL => sql`
  select ${taskColumns} from ${tasks} k join ${meetings} m on m.id = k.meeting_id
  where k.id = ${sql.placeholder("taskId")} and ${buildScopeCondition(scope)}`;
