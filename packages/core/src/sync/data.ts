import type { Change, SyncedMeeting, TaskWithDue } from "@minutes/contract";
import { type Database, runNamedStatement, schema, writeArray } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope, visibleTags } from "../access/index.js";
import { meetingColumns } from "../meetings/index.js";
import { type TaskRow, taskColumns, toTaskListItem } from "../meetings/tasks/index.js";
import type { Entry } from "./entries.js";
import { TAG_KIND } from "./parameters.js";

const { meetings, tasks } = schema;

type ChangeType = Change["type"];
type Upsert = Extract<Change, { op: "upsert" }>;

/** Returns the type and id of an entry's object. */
export const getSubject = ({ kind, group, item }: Entry): { type: ChangeType; id: string } => {
  if (kind === TAG_KIND) return { type: "tag", id: group };
  return item === "" ? { type: "meeting", id: group } : { type: "task", id: item };
};

/** The list items of a page's upserts, by type and id. */
export type ListItems = (type: ChangeType, id: string) => Upsert | undefined;

/**
 * Reads the current list items of entries, by the access rules of the lists. Objects that became invisible after the
 * entries were read are missing: their removal follows.
 */
export async function readListItems(
  db: Database,
  scope: Scope,
  entries: readonly Entry[],
): Promise<ListItems> {
  const ids: Record<ChangeType, string[]> = { meeting: [], task: [], tag: [] };
  for (const entry of entries) {
    const { type, id } = getSubject(entry);
    if (entry.visible) ids[type].push(id);
  }
  const read = async <Row extends object>(type: ChangeType, build: (ids: SQL) => SQL): Promise<Row[]> =>
    ids[type].length === 0
      ? []
      : runNamedStatement<Row>(db, `changed_${type}s_${scope.name}`, () => build(GIVEN), {
          ...scope.values,
          ids: writeArray(ids[type]),
        });
  const found = new Map<string, Upsert>();
  const add = (upsert: Upsert) => found.set(`${upsert.type} ${upsert.id}`, upsert);
  for (const data of await read<SyncedMeeting>("meeting", (given) => selectMeetings(scope, given)))
    add({ type: "meeting", id: data.id, op: "upsert", data });
  const readTasks = read<TaskRow & Pick<TaskWithDue, "due"> & { updatedAt: string }>;
  for (const row of await readTasks("task", (given) => selectTasks(scope, given))) {
    const { id, due, updatedAt } = row;
    add({ type: "task", id, op: "upsert", data: { ...toTaskListItem(row), due, updatedAt } });
  }
  for (const data of await read<TagRow>("tag", selectTagsById))
    add({ type: "tag", id: data.id, op: "upsert", data });
  return (type, id) => found.get(`${type} ${id}`);
}

type TagRow = Extract<Change, { type: "tag"; op: "upsert" }>["data"];

const GIVEN = sql`any(${sql.placeholder("ids")}::text::text[])`;

const selectMeetings = (scope: Scope, ids: SQL): SQL => sql`
  select ${meetingColumns}, m.updated_at as "updatedAt" from ${meetings} m
  where m.id = ${ids} and ${buildScopeCondition(scope)}`;

const selectTasks = (scope: Scope, ids: SQL): SQL => sql`
  select ${taskColumns}, k.due_on::text as due, k.updated_at as "updatedAt" from ${tasks} k join ${meetings} m on m.id = k.meeting_id
  where k.id = ${ids} and ${buildScopeCondition(scope)}`;

const selectTagsById = (ids: SQL): SQL => sql`
  select id, name, shared, updated_at as "updatedAt" from ${visibleTags} t where t.id = ${ids}`;
