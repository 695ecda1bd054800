import { schema, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  expandHiddenTaskRemovals,
  expandMeetings,
  expandRemovals,
  expandTasks,
  isLinkedBefore,
  isNotVisible,
  isRemovalDue,
  removedIn,
} from "./expand.js";
import {
  afterMeeting,
  afterNumber,
  afterTask,
  caller,
  type FeedShape,
  holder,
  laterFrom,
  top,
} from "./parameters.js";

const { meetings, meetingShares, meetingTags, syncRemovals, tagShares, tasks } = schema;

/** The users who share a meeting or tag with the caller. */
const owners = sql`(select distinct s.owner_id from ${meetingShares} s where s.user_id = ${caller}
  union select t.owner_id from ${tagShares} t where t.user_id = ${caller}) o`;

/** Selects entries of meetings that reach the caller through shares and shared tags. */
export const selectLinked = (shape: FeedShape): SQL[] => [
  ...selectArrivals(shape),
  ...selectLaterChanges(shape),
  ...selectTagRemovals(shape),
];

/** Builds the range of all numbers starting at one. */
const since = (number: SQL): SQL => sql`int8multirange(int8range(${number}, null))`;

const isAfter = (number: SQL, id: SQL): SQL => sql`
  (${number}, ${id}) >= (${afterNumber}, ${afterMeeting}) and ${number} < ${top}`;

/** Builds the condition that meeting `m` is not sent under a later number. */
const isUnsent = (arrival: SQL): SQL =>
  sql`(m.changed_in <= ${arrival} or m.changed_in >= ${top} or m.changed_in < ${laterFrom})`;

/** Builds the first meeting to read of a tag whose meetings all have one number. */
const firstMeeting = (number: SQL): SQL =>
  sql`case when ${number} = ${afterNumber} then ${afterMeeting}::text else '' end`;

/**
 * Selects meetings whose link is newer than their last change: shared directly, tagged, or with a newly shared tag. One
 * that several tags link in one transaction takes a single row of the page.
 */
function selectArrivals(shape: FeedShape): SQL[] {
  const page = sql`limit ${toSqlNumber(shape.rows)}`;
  const order = sql`order by 1, 2 ${page}`;
  return [
    expandMeetings(
      sql`select s.created_in as number, s.meeting_id as id, m.changed_in
        from ${meetingShares} s join ${meetings} m on m.id = s.meeting_id
        where s.user_id = ${caller} and ${isAfter(sql`s.created_in`, sql`s.meeting_id`)}
          and ${isUnsent(sql`s.created_in`)} ${order}`,
      shape,
      sql`${laterFrom}`,
    ),
    expandMeetings(
      sql`select distinct a.number, a.id, a.changed_in from ${tagShares} t cross join lateral (
          select b.created_in as number, b.meeting_id as id, m.changed_in
          from ${meetingTags} b join ${meetings} m on m.id = b.meeting_id
          where b.tag_id = t.tag_id and ${isAfter(sql`b.created_in`, sql`b.meeting_id`)}
            and b.created_in >= t.created_in and ${isUnsent(sql`b.created_in`)} ${order}) a
        where t.user_id = ${caller} ${order}`,
      shape,
      sql`${laterFrom}`,
    ),
    expandMeetings(
      sql`select distinct t.created_in as number, a.id, a.changed_in from ${tagShares} t cross join lateral (
          select b.meeting_id as id, m.changed_in
          from ${meetingTags} b join ${meetings} m on m.id = b.meeting_id
          where b.tag_id = t.tag_id and b.meeting_id >= ${firstMeeting(sql`t.created_in`)}
            and b.created_in < t.created_in and ${isUnsent(sql`t.created_in`)}
          order by b.meeting_id ${page}) a
        where t.user_id = ${caller} and t.created_in >= ${afterNumber} and t.created_in < ${top} ${order}`,
      shape,
      sql`${laterFrom}`,
    ),
  ];
}

/**
 * Selects meetings and tasks that changed after they were linked, owner by owner. Earlier changes are sent by arrivals.
 */
function selectLaterChanges(shape: FeedShape): SQL[] {
  const rows = toSqlNumber(shape.rows);
  return [
    expandMeetings(
      sql`select c.number, c.id, c.number as changed_in from ${owners} cross join lateral (
          select m.changed_in as number, m.id from ${meetings} m
          where m.user_id = o.owner_id and ${isAfter(sql`m.changed_in`, sql`m.id`)} and m.changed_in >= ${laterFrom}
            and ${isLinkedBefore(sql`m.changed_in`)}
          order by 1, 2 limit ${rows}) c
        order by 1, 2 limit ${rows}`,
      shape,
    ),
    expandTasks(
      sql`select c.number, c.id, c.task from ${owners} cross join lateral (
          select k.updated_in as number, k.meeting_id as id, k.id as task
          from ${tasks} k join ${meetings} m on m.id = k.meeting_id
          where k.user_id = o.owner_id and k.updated_in is not null and k.updated_in > m.changed_in
            and (k.updated_in, k.meeting_id, k.id) > (${afterNumber}, ${afterMeeting}, ${afterTask})
            and k.updated_in >= ${laterFrom} and k.updated_in < ${top} and ${isLinkedBefore(sql`k.updated_in`)}
          order by 1, 2, 3 limit ${rows}) c
        order by 1, 2, 3 limit ${rows}`,
      shape,
    ),
    expandHiddenTaskRemovals(
      sql`select m.id from ${owners} join ${meetings} m on m.user_id = o.owner_id
        where m.changed_in >= ${top} and ${isLinkedBefore(sql`${top}`)}`,
      shape,
    ),
  ];
}

/**
 * Selects meetings that lost a tag shared with the caller now or earlier, and meetings of a tag whose share ended. Each
 * was visible from the later of its two beginnings to the earlier of its two ends.
 */
function selectTagRemovals(shape: FeedShape): SQL[] {
  const page = sql`limit ${toSqlNumber(shape.rows)}`;
  const order = sql`order by 1, 2 ${page}`;
  const ended = sql`(select r.id, r.visible, ${removedIn} as number from ${syncRemovals} r
    where r.scope = ${holder} and r.type = 'tag' and r.changed_in >= ${afterNumber}) d`;
  const untagged = (tag: SQL) => sql`(select r.id, r.visible, r.deleted, ${removedIn} as number
    from ${syncRemovals} r where r.scope = 'tag:' || ${tag} and r.type = 'meeting' and r.changed_in >= ${afterNumber}) r`;
  return [
    expandRemovals(
      sql`select distinct r.number, r.id, r.deleted
        from ${tagShares} t cross join lateral ${untagged(sql`t.tag_id`)}
        where t.user_id = ${caller} and ${isAfter(sql`r.number`, sql`r.id`)} and r.number > t.created_in
          and ${isRemovalDue(sql`r.visible * ${since(sql`t.created_in`)}`)} and ${isNotVisible(sql`r.id`, shape)} ${order}`,
      shape,
    ),
    expandRemovals(
      sql`select distinct d.number, a.id, false as deleted
        from (select * from ${ended} where d.number >= ${afterNumber} and d.number < ${top}) d cross join lateral (
          select b.meeting_id as id from ${meetingTags} b
          where b.tag_id = d.id and b.meeting_id >= ${firstMeeting(sql`d.number`)} and b.created_in < d.number
            and ${isRemovalDue(sql`d.visible * ${since(sql`b.created_in`)}`)} and ${isNotVisible(sql`b.meeting_id`, shape)}
          order by b.meeting_id ${page}) a ${order}`,
      shape,
    ),
    expandRemovals(
      sql`select distinct least(r.number, d.number) as number, r.id, coalesce(r.deleted and r.number <= d.number, false) as deleted
        from ${ended} cross join lateral ${untagged(sql`d.id`)}
        where ${isAfter(sql`least(r.number, d.number)`, sql`r.id`)}
          and ${isRemovalDue(sql`r.visible * d.visible`)} and ${isNotVisible(sql`r.id`, shape)} ${order}`,
      shape,
    ),
  ];
}
