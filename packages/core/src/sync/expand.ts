import { schema, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  afterMeeting,
  afterNumber,
  afterTask,
  caller,
  chain,
  complete,
  type FeedShape,
  MEETING_KIND,
  seen,
  steps,
  top,
} from "./parameters.js";

const { meetings, meetingShares, meetingTags, syncRemovals, tagShares, tasks } = schema;

/**
 * Selects entries from `g`, which has a number and a meeting's id, starting at the caller's position.
 * @param items selects `item`, `visible` and `deleted`
 */
const selectItems = (groups: SQL, items: SQL, { rows }: FeedShape): SQL => sql`
  select g.number, ${toSqlNumber(MEETING_KIND)} as kind, g.id, i.item, i.visible, i.deleted
  from (${groups}) g cross join lateral (${items}) i
  where (g.number, g.id, i.item) > (${afterNumber}, ${afterMeeting}, ${afterTask})
  order by 1, 3, 4 limit ${toSqlNumber(rows)}`;

const VISIBLE = sql`true as visible, false as deleted`;

/**
 * Builds entries of changed meetings (`number`, `id`, and the meeting's `changed_in`), each with removals of its
 * deleted tasks, and with its tasks that did not change later, or changed before a number. Changes of transactions that
 * can't be read yet are included, so that they are never removed without having been sent.
 */
export const expandMeetings = (changed: SQL, shape: FeedShape, tasksBefore: SQL = sql`0`): SQL =>
  selectItems(
    changed,
    sql`select '' as item, ${VISIBLE}
      union all
      select k.id, ${VISIBLE} from ${tasks} k where k.meeting_id = g.id
        and (coalesce(k.updated_in, 0) <= g.number or k.updated_in < ${tasksBefore}
          or k.updated_in >= ${top} or g.changed_in >= ${top})
      union all
      ${selectRemovedTasks(sql`true`)}`,
    shape,
  );

/** Builds entries of changed tasks (`number`, `id` of the meeting, `task`); with details, also of their meetings. */
export const expandTasks = (changed: SQL, shape: FeedShape): SQL => {
  const meeting = sql`union all
    select '', ${VISIBLE} where not exists (select from ${tasks} k where k.meeting_id = g.id and k.updated_in > g.number)`;
  return selectItems(
    changed,
    sql`select g.task as item, ${VISIBLE} ${shape.detail ? meeting : sql``}`,
    shape,
  );
};

/**
 * Builds entries of removed meetings (`number`, `id`, `deleted`), each with its tasks, whether they still exist or not.
 */
export const expandRemovals = (removed: SQL, shape: FeedShape): SQL =>
  selectItems(
    removed,
    sql`select '' as item, false as visible, g.deleted
      union all
      select k.id, false, g.deleted from ${tasks} k where k.meeting_id = g.id
      union all
      ${selectRemovedTasks(sql`g.deleted`)}`,
    shape,
  );

/**
 * Selects removals of deleted tasks of meeting `g` that may have been sent to the caller. They accompany a later change
 * of the meeting, so the caller's position says nothing about them.
 */
const selectRemovedTasks = (deleted: SQL): SQL => sql`
  select r.id as item, false as visible, ${deleted} as deleted from ${syncRemovals} r
  where r.scope = 'meeting:' || g.id and r.type = 'task' and ${isRemovalDue(sql`r.visible`, sql`${complete}`)}`;

/**
 * Builds entries of deleted tasks whose meetings (`id`) have changed again, in a transaction that this chain can't read
 * yet. The next chain sends the meetings under those numbers, but only with removals that came after this one. Their
 * place is the end of the chain.
 */
export const expandHiddenTaskRemovals = (hidden: SQL, shape: FeedShape): SQL =>
  selectItems(
    sql`select ${top}::bigint - 1 as number, h.id from (${hidden}) h`,
    sql`${selectRemovedTasks(sql`true`)} and r.changed_in < ${top}`,
    shape,
  );

/**
 * Builds the number of removal `r` as of `top`: an object that returned and was removed again in transactions that this
 * chain can't read yet counts as removed when it was removed before. Null if it wasn't.
 */
export const removedIn = sql`(case when r.changed_in < ${top} then r.changed_in
  else (select max(upper(w)) from unnest(r.visible) w where upper(w) < ${top}) end)`;

/** Builds the condition that meeting `m` was linked to the caller before a number. */
export const isLinkedBefore = (number: SQL): SQL => sql`(
  exists (select from ${meetingShares} s
    where s.meeting_id = m.id and s.user_id = ${caller} and s.created_in < ${number})
  or exists (select from ${meetingTags} b join ${tagShares} t on t.tag_id = b.tag_id and t.user_id = ${caller}
    where b.meeting_id = m.id and b.created_in < ${number} and t.created_in < ${number}))`;

/**
 * Builds the condition that the caller can't see a meeting as of `top`. One that returned in a transaction that this
 * chain can't read yet counts as removed, because it may be gone again before the next chain; that one sends it if it
 * is still there.
 */
export const isNotVisible = (meetingId: SQL, { personal }: FeedShape): SQL => {
  const visible = personal
    ? sql`(m.user_id = ${caller} or ${isLinkedBefore(sql`${top}`)})`
    : sql`m.workspace_id = ${caller} and m.placed_in < ${top}`;
  return sql`not exists (select from ${meetings} m where m.id = ${meetingId} and ${visible})`;
};

/**
 * Builds the condition that a removed object may have been sent to the caller, and its removal has not. Either it was
 * visible when the last chain of pages completed, and until after the caller's position, even if it went and returned in
 * between, before this chain began; or it was visible after this chain began and has gone since. An object whose removal
 * was committed before the chain could first send it was not sent, even if an older open transaction kept the removal's
 * number out of the chain.
 * @param ranges a multirange of the numbers after which it was visible
 * @param after the number of the caller's position
 */
export const isRemovalDue = (ranges: SQL, after: SQL = sql`${afterNumber}`): SQL => sql`exists (
  select from unnest(${ranges}) w where (
    w @> least(${complete}::bigint, ${after}::bigint) - 1 and exists (
      select from unnest(${ranges}) l where lower(l) < ${chain}::bigint and upper(l) >= ${after}::bigint)
    or w && int8range(least(greatest(${after}::bigint, ${chain}::bigint), ${seen}::bigint) - 1, ${seen}::bigint))
  and not exists (
    select from json_to_recordset(${steps}::text::json) s(since bigint, top bigint, started bigint, running bigint[])
    where lower(w) >= s.since and lower(w) < s.top and upper(w) < s.started and upper(w) <> all (s.running)))`;
