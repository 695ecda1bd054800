import {
  FIELD_MESSAGES,
  formatCursor,
  formatDueCursor,
  type Instant,
  MESSAGES,
  type TaskListItem,
  type TaskOrder,
  type TaskPage,
  type TaskPosition,
  type TaskWithDue,
} from "@minutes/contract";
import { type Database, runNamedStatement, schema, toSqlNumber, writeArray } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  buildLinksFromWhere,
  buildScopeCondition,
  type Caller,
  isColumnSource,
  readableBy,
  type Scope,
  type Source,
  whereColumn,
} from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { getRowLimit } from "../../lib/paging.js";
import { assigneeId, isAssignedTo, isNamedLike, namesPerson } from "../../people/index.js";

const { meetings, tasks } = schema;

/** A page of a task list. @see docs/specification.md#pagination-list-operations */
export interface ListInput {
  readonly limit: number;
  readonly cursor?: TaskPosition | undefined;
  /** `newest` by default. */
  readonly order?: TaskOrder | undefined;
  readonly startDate?: Instant | undefined;
  readonly endDate?: Instant | undefined;
  readonly completed?: boolean | undefined;
  readonly meetingId?: string | undefined;
  /** An e-mail address or a part of a name. */
  readonly assignee?: string | undefined;
  /** Only tasks assigned to the user who calls. */
  readonly mine?: boolean | undefined;
  /** Only tasks assigned to the caller's account name without an address. */
  readonly namedLikeMe?: boolean | undefined;
  /** Only tasks due before this day, `YYYY-MM-DD`. */
  readonly dueBefore?: string | undefined;
}

/**
 * Lists tasks of a scope's meetings, newest first (creation and id, both descending), or earliest due date first and undated
 * last, newest first within a date. Own or workspace tasks are read in index order, whatever the total; tasks of shared
 * meetings cost as much as is shared.
 * @throws ApiError 400 for a cursor of the other order
 */
export async function listTasks(db: Database, scope: Scope, input: ListInput): Promise<TaskPage> {
  const { cursor, order = "newest" } = input;
  if (cursor && (cursor.due !== undefined) !== (order === "due"))
    throw new ApiError("BAD_REQUEST", FIELD_MESSAGES.cursor ?? "");
  const bounds: Bounds = {
    order,
    rows: getRowLimit(input.limit),
    cursor: cursor && toCursorKind(cursor),
    startDate: input.startDate !== undefined,
    endDate: input.endDate !== undefined,
    completed: input.completed,
    meetingId: input.meetingId !== undefined,
    assignee: input.assignee !== undefined,
    mine: input.mine === true,
    namedLikeMe: input.namedLikeMe === true,
    dueBefore: input.dueBefore !== undefined,
  };
  const name = `tasks_${scope.name}_${order}_${nameConditions(bounds)}`;
  const rows = await runNamedStatement<TaskRow & { due?: string | null }>(
    db,
    name,
    () => selectPage(scope, bounds),
    {
      ...scope.values,
      startDate: input.startDate,
      endDate: input.endDate,
      meetingId: input.meetingId,
      assignee: input.assignee,
      dueBefore: input.dueBefore,
      cursorDue: cursor?.due,
      cursorTime: cursor?.time,
      cursorId: cursor?.id,
    },
  );
  const page = rows.slice(0, input.limit);
  const last = page.at(-1);
  const next = rows[input.limit];
  return { tasks: page.map(toTaskListItem), nextCursor: last && next ? toCursor(last, next) : null };
}

/** The contract's cursor is only a time; between equal times it also needs the id. By due date, it has date, time and id. */
const toCursor = (last: TaskRow & { due?: string | null }, next: TaskRow): string =>
  last.due === undefined
    ? formatCursor(last.createdAt, next.createdAt === last.createdAt ? last.id : null)
    : formatDueCursor(last.due, last.createdAt, last.id);

/** A cursor with only a time means that all tasks of that time were returned; with an id, those before it. */
const toCursorKind = ({ due, id }: TaskPosition): Bounds["cursor"] => {
  if (due === undefined) return id === null ? "time" : "place";
  return due === null ? "undated" : "dated";
};

/** The condition that the user who calls can complete task `k`: as owner of the meeting, or as assignee. */
const isCompletable = sql`(k.user_id = ${sql.placeholder("caller")} or ${isAssignedTo(sql`${sql.placeholder("caller")}`)})`;

/** A workspace completes all tasks that it can read. */
const whereCompletable = ({ kind }: Caller): SQL => (kind === "user" ? isCompletable : sql`true`);

/** Lists tasks as `listTasks` does, with what rows of `/v1` don't have: due dates, and whether the caller can complete them. */
export async function listTasksWithDue(
  db: Database,
  caller: Caller,
  scope: Scope,
  input: ListInput,
): Promise<TaskPage & { tasks: TaskWithDue[] }> {
  const page = await listTasks(db, scope, input);
  const ids = writeArray(page.tasks.map(({ id }) => id));
  const rows = await runNamedStatement<Pick<TaskWithDue, "id" | "due" | "canComplete">>(
    db,
    `tasks_with_due_${caller.kind}`,
    () => sql`select k.id, k.due_on::text as due, ${whereCompletable(caller)} as "canComplete" from ${tasks} k
      where k.id = any(${sql.placeholder("ids")}::text::text[])`,
    { ...(caller.kind === "user" ? { caller: caller.userId } : {}), ids },
  );
  const more = new Map(rows.map(({ id, ...facts }) => [id, facts]));
  // A task deleted between both statements can't be completed.
  const gone = { due: null, canComplete: false };
  return { ...page, tasks: page.tasks.map((task) => ({ ...task, ...(more.get(task.id) ?? gone) })) };
}

/** The conditions of a statement. Each combination is a separate statement with its own plan. */
interface Bounds {
  readonly order: TaskOrder;
  readonly rows: number;
  readonly cursor: "time" | "place" | "dated" | "undated" | undefined;
  readonly startDate: boolean;
  readonly endDate: boolean;
  readonly completed: boolean | undefined;
  readonly meetingId: boolean;
  readonly assignee: boolean;
  readonly mine: boolean;
  readonly namedLikeMe: boolean;
  readonly dueBefore: boolean;
}

const CURSORS = [undefined, "time", "place", "dated", "undated"] as const;
const COMPLETED = [undefined, false, true] as const;

/** In numbers, which names for observers leave out: there would be thousands. */
const nameConditions = ({ order: _, cursor, completed, ...others }: Bounds): string =>
  [CURSORS.indexOf(cursor), COMPLETED.indexOf(completed), ...Object.values(others).map(Number)].join("_");

/** A list item as selected by `taskColumns`. */
export type TaskRow = Omit<TaskListItem, "assignee"> & {
  readonly assigneeId: string | null;
  readonly assigneeName: string | null;
  readonly assigneeEmail: string | null;
};

/**
 * Converts a row to wire format, field by field: spreading the rest of the object would take a third of the route's
 * time.
 */
export const toTaskListItem = (row: TaskRow): TaskListItem => ({
  id: row.id,
  text: row.text,
  completed: row.completed,
  meetingId: row.meetingId,
  meetingTitle: row.meetingTitle,
  createdAt: row.createdAt,
  userId: row.userId,
  assignee:
    row.assigneeName === null
      ? null
      : { id: row.assigneeId, name: row.assigneeName, email: row.assigneeEmail },
});

/** The columns of a list item, from task `k` and its meeting `m`. */
export const taskColumns = sql`
  k.id, k.text, k.completed, ${assigneeId} as "assigneeId", k.assignee_name as "assigneeName",
  k.assignee_email as "assigneeEmail", k.meeting_id as "meetingId", m.title as "meetingTitle",
  k.created_at as "createdAt", k.user_id as "userId"`;

const selectPage = (scope: Scope, bounds: Bounds): SQL =>
  bounds.order === "due"
    ? sql`select ${taskColumns}, k.due_on::text as due from ${fromIds(scope, bounds, BY_DUE)}`
    : sql`select ${taskColumns} from ${fromNewest(scope, bounds)}`;

/** A sort order of tasks. */
interface Order {
  /** Columns of task `k` that it sorts by. */
  readonly columns: SQL;
  /** Builds its `order by` clause for the row `alias`. */
  readonly by: (alias: SQL) => SQL;
  /**
   * Returns conditions that together select the rows after the cursor, in order. Each is one range of the index of own or
   * workspace tasks.
   */
  readonly ranges: (bounds: Bounds) => SQL[];
}

const isBehind = sql`(k.created_at, k.id) < (${sql.placeholder("cursorTime")}, ${sql.placeholder("cursorId")})`;
const cursorDue = sql`${sql.placeholder("cursorDue")}::text::date`;

const NEWEST: Order = {
  columns: sql`k.id, k.created_at`,
  by: (row) => sql`order by ${row}.created_at desc, ${row}.id desc`,
  ranges: ({ cursor }) => {
    if (cursor === "time") return [sql`k.created_at < ${sql.placeholder("cursorTime")}`];
    return [cursor === "place" ? isBehind : sql`true`];
  },
};

const BY_DUE: Order = {
  columns: sql`k.id, k.created_at, k.due_on`,
  by: (row) => sql`order by ${row}.due_on, ${row}.created_at desc, ${row}.id desc`,
  ranges: ({ cursor, completed }) => {
    const undated = sql`k.due_on is null`;
    const behind =
      cursor === "undated"
        ? [sql`${undated} and ${isBehind}`]
        : cursor === "dated"
          ? [sql`k.due_on = ${cursorDue} and ${isBehind}`, sql`k.due_on > ${cursorDue}`, undated]
          : [sql`k.due_on is not null`, undated];
    // The index starts with `completed`, because few tasks of the past are still open.
    return completed === undefined
      ? behind.flatMap((range) => [sql`${range} and not k.completed`, sql`${range} and k.completed`])
      : behind;
  },
};

/** Selects the page's rows `k` with their meetings `m` in order: from a single index, or by ids from several. */
function fromNewest(scope: Scope, bounds: Bounds): SQL {
  const [only] = scope.sources;
  if (!only || !isColumnSource(only) || scope.sources.length > 1) return fromIds(scope, bounds, NEWEST);
  return sql`${tasks} k join ${meetings} m on m.id = k.meeting_id
    where ${whereColumn(only, "k")} ${andWithin(bounds)} and ${joinRanges(NEWEST, bounds)}
    ${NEWEST.by(sql`k`)} limit ${toSqlNumber(bounds.rows)}`;
}

/** Selects the rows by the ids of each source, or of each range of an index. */
function fromIds({ sources }: Scope, bounds: Bounds, order: Order): SQL {
  const limit = sql`limit ${toSqlNumber(bounds.rows)}`;
  const ids = sources.flatMap((source) =>
    (isColumnSource(source) ? order.ranges(bounds) : [joinRanges(order, bounds)]).map(
      (range) =>
        sql`(select ${order.columns} from ${fromTasks(source)} ${andWithin(bounds)} and ${range} ${order.by(sql`k`)} ${limit})`,
    ),
  );
  return sql`(select k.* from (${sql.join(ids, sql` union `)}) k ${order.by(sql`k`)} ${limit}) page
    join ${tasks} k on k.id = page.id join ${meetings} m on m.id = k.meeting_id ${order.by(sql`page`)}`;
}

const joinRanges = (order: Order, bounds: Bounds): SQL => sql`(${sql.join(order.ranges(bounds), sql` or `)})`;

const fromTasks = (source: Source): SQL =>
  isColumnSource(source)
    ? sql`${tasks} k where ${whereColumn(source, "k")}`
    : sql`(select distinct l.meeting_id from ${buildLinksFromWhere(source)}) l join ${tasks} k on k.meeting_id = l.meeting_id where true`;

const isAssigned = namesPerson(sql.placeholder("assignee"), {
  name: sql`k.assignee_name`,
  email: sql`k.assignee_email`,
});

const andWithin = (bounds: Bounds): SQL => sql`
  ${bounds.completed === undefined ? sql`` : bounds.completed ? sql`and k.completed` : sql`and not k.completed`}
  ${bounds.meetingId ? sql`and k.meeting_id = ${sql.placeholder("meetingId")}` : sql``}
  ${bounds.assignee ? sql`and ${isAssigned}` : sql``}
  ${bounds.mine ? sql`and ${isAssignedTo(sql`${sql.placeholder("caller")}`)}` : sql``}
  ${bounds.namedLikeMe ? sql`and ${isNamedLike(sql`${sql.placeholder("caller")}`)}` : sql``}
  ${bounds.dueBefore ? sql`and k.due_on < ${sql.placeholder("dueBefore")}::text::date` : sql``}
  ${bounds.startDate ? sql`and k.created_at >= ${sql.placeholder("startDate")}` : sql``}
  ${bounds.endDate ? sql`and k.created_at <= ${sql.placeholder("endDate")}` : sql``}`;

/** Reads a task with its due date. @throws ApiError 404 for one that does not exist or that the caller can't read */
export async function getTask(db: Database, caller: Caller, taskId: string): Promise<TaskWithDue> {
  const scope = readableBy(caller);
  const [row] = await runNamedStatement<TaskRow & Pick<TaskWithDue, "due" | "canComplete">>(
    db,
    `task_${scope.name}`,
    () => selectTask(scope, whereCompletable(caller)),
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
