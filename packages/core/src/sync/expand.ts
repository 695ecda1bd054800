import { schema, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope } from "../access/index.js";
import {
  afterMeeting,
  afterNumber,
  afterTask,
  chain,
  complete,
  type FeedShape,
  MEETING_KIND,
  seen,
  steps,
  top,
} from "./parameters.js";

const { meetings, syncRemovals, tasks } = schema;

/** Selects entries out of `g`, which has a number, a meeting's id and an item, from the caller's position on. */
const selectItems = (groups: SQL, items: SQL, visible: SQL, { rows }: FeedShape): SQL => sql`
  select g.number, ${toSqlNumber(MEETING_KIND)} as kind, g.id, i.item, ${visible}
  from (${groups}) g cross join lateral (${items}) i
  where (g.number, g.id, i.item) > (${afterNumber}, ${afterMeeting}, ${afterTask})
  order by 1, 3, 4 limit ${toSqlNumber(rows)}`;

const VISIBLE = sql`true as visible, false as deleted`;

/**
 * Makes entries of changed meetings (`number`, `id`, and the meeting's `changed_in`), each with those of its tasks that did
 * not change later, or changed before a number. What changed in a transaction that can't be read yet is sent as well: it must not look removed without
 * ever having been sent.
 */
export const expandMeetings = (changed: SQL, shape: FeedShape, tasksBefore: SQL = sql`0`): SQL =>
  selectItems(
    changed,
    sql`select '' as item
      union all
      select k.id from ${tasks} k where k.meeting_id = g.id
        and (coalesce(k.updated_in, 0) <= g.number or k.updated_in < ${tasksBefore}
          or k.updated_in >= ${top} or g.changed_in >= ${top})`,
    VISIBLE,
    shape,
  );

/** Makes entries of changed tasks (`number`, `id` of the meeting, `task`); with details, of their meetings too. */
export const expandTasks = (changed: SQL, shape: FeedShape): SQL => {
  const meeting = sql`union all
    select '' where not exists (select from ${tasks} k where k.meeting_id = g.id and k.updated_in > g.number)`;
  return selectItems(changed, sql`select g.task as item ${shape.detail ? meeting : sql``}`, VISIBLE, shape);
};

/** Makes entries of removed meetings (`number`, `id`, `deleted`), each with its tasks, whether they exist or not. */
export const expandRemovals = (removed: SQL, shape: FeedShape): SQL =>
  selectItems(
    removed,
    sql`select '' as item
      union all
      select k.id from ${tasks} k where k.meeting_id = g.id
      union all
      select r.id from ${syncRemovals} r where r.scope = 'meeting:' || g.id and r.type = 'task'`,
    sql`false as visible, g.deleted`,
    shape,
  );

/** Builds the condition that the caller can't see a meeting, by the access rule of the lists. */
export const isNotVisible = (scope: Scope, meetingId: SQL): SQL =>
  sql`not exists (select from ${meetings} m where m.id = ${meetingId} and ${buildScopeCondition(scope)})`;

/**
 * Builds the condition that the caller may have been sent something that was removed and has not been told so. Either it was
 * visible when the last chain of pages was complete, and until after the caller's position; or it was visible after this
 * chain began and went since. What a chain could have sent for the first time was not sent when its removal had been
 * committed by then, though an older transaction was still open and kept the removal's number out of the chain.
 * @param ranges a multirange of the numbers after which it was visible
 * @param after the number of the caller's position
 */
export const wasSent = (ranges: SQL, after: SQL = sql`${afterNumber}`): SQL => sql`exists (
  select from unnest(${ranges}) w where (
    w @> int8range(least(${complete}::bigint, ${after}::bigint) - 1, ${after}::bigint)
    or w && int8range(least(greatest(${after}::bigint, ${chain}::bigint), ${seen}::bigint) - 1, ${seen}::bigint))
  and not exists (
    select from json_to_recordset(${steps}::text::json) s(since bigint, top bigint, started bigint, running bigint[])
    where lower(w) >= s.since and lower(w) < s.top and upper(w) < s.started and upper(w) <> all (s.running)))`;
