import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { type Scope, selectMeetingIds } from "../../access/index.js";
import { ERASED_NAME } from "../../lib/erased.js";

const { meetings, participants, people, tasks } = schema;

/** Matches what recorders call speakers whose names they don't know, such as `Speaker 1`, `SPEAKER_00` and `Unknown speaker`. */
const PLACEHOLDERS = "^(unknown|((unknown )?(speaker|participant|spk))[ _#-]*([0-9]+|[a-z])?)$";

/** Returns true for what recorders call speakers whose names they don't know; such people are in no list. */
export const isPlaceholder = (name: string): boolean => new RegExp(PLACEHOLDERS, "i").test(name);

/** Builds the condition that a name isn't what a recorder calls somebody it doesn't know, or what replaced an erased name. */
export const isName = (name: SQL): SQL =>
  sql`(${name} <> ${sql.raw(`'${ERASED_NAME}'`)} and ${name} !~* ${sql.raw(`'${PLACEHOLDERS}'`)})`;

/** The condition that participant `p` has no address and nobody has said who they are. */
const isNamedOnly: SQL = sql`(p.email is null and p.person_id is not null and p.name <> ''
  and not exists (select from ${people} r where r.id = p.person_id))`;

/**
 * Builds the condition that participant `p` is unconfirmed: a name, but no address, and nobody has said who they are. Such
 * speakers have an ID of their own in each meeting, without a row in `people`.
 */
export const isUnconfirmed: SQL = sql`(${isNamedOnly} and ${isName(sql`p.name`)})`;

/** Builds the condition that meeting `m` is a readable one of the workspace. */
const isReadable = (scope: Scope, workspace: SQL): SQL =>
  sql`m.workspace_id = ${workspace} and m.id in (${selectMeetingIds(scope)})`;

/**
 * Selects the readable meetings of the workspace before anything is joined to them: `offset 0` keeps the planner from
 * joining other rows first.
 */
export const selectReadable = (scope: Scope, workspace: SQL): SQL =>
  sql`(select m.id, m.start_time from ${meetings} m where ${isReadable(scope, workspace)} offset 0)`;

/**
 * Selects everyone mentioned in meetings, in one pass: people of the directory with the ID they are `known` by, and speakers
 * known by name only, one per exact name with the lowest of their IDs. The same name elsewhere in the workspace adds
 * nothing. `name` and `otherName` differ if mentions do. Many meetings repeat few names, so the caller checks `isName` once
 * they are grouped. `offset 0` keeps the planner from expecting so many groups that it sorts all mentions.
 * @param readable the meetings, as `selectReadable` selects them
 */
export const selectMentioned = (readable: SQL, workspace: SQL): SQL => sql`
  select s.known, min(s.person_id) as id, max(s.start_time) as "lastMet",
    (min(s.name collate "C") filter (where s.name <> '')) collate "default" as name,
    (max(s.name collate "C") filter (where s.name <> '')) collate "default" as "otherName"
  from (
    select coalesce(r.merged_into, r.id) as known, case when r.id is null then s.name end as unconfirmed,
      s.person_id, s.name, m.start_time
    from (
      select p.meeting_id, p.person_id, p.name, p.email is null and p.name <> '' as named_only
      from ${participants} p where p.person_id is not null
      union all
      select k.meeting_id, k.assignee_person_id, k.assignee_name, false
      from ${tasks} k where k.assignee_person_id is not null
    ) s join ${readable} m on m.id = s.meeting_id left join ${people} r on r.id = s.person_id
    where r.workspace_id = ${workspace} or (r.id is null and s.named_only) offset 0
  ) s group by s.known, s.unconfirmed`;

/** Selects the names that the speaker with an ID has in meetings, where they are known by name only. */
export const selectUnconfirmedNames = (readable: SQL, id: SQL): SQL => sql`
  select p.name from ${participants} p join ${readable} m on m.id = p.meeting_id
  where p.person_id = ${id} and ${isNamedOnly}`;

/** Selects all IDs of the speakers in meetings who are known by one of some names only. */
export const selectUnconfirmedIds = (readable: SQL, names: SQL): SQL => sql`
  select p.name, array_agg(p.person_id) as ids from ${participants} p join ${readable} m on m.id = p.meeting_id
  where p.name in (${names}) and ${isNamedOnly} group by p.name`;

/** Counts the meetings in which one of some IDs speaks. */
export const countMeetings = (ids: SQL): SQL =>
  sql`(select count(distinct p.meeting_id)::int from ${participants} p where p.person_id = any(${ids}))`;

/** Counts the open tasks of some IDs. */
export const countOpenTasks = (ids: SQL): SQL =>
  sql`(select count(*)::int from ${tasks} k where k.assignee_person_id = any(${ids}) and not k.completed)`;

/**
 * Selects the IDs with the same name as the unconfirmed speaker with an ID, in the meetings in the scope; none unless the
 * caller can read the meeting of that speaker.
 */
export const selectSameName = (scope: Scope, workspace: SQL, id: SQL): SQL => sql`
  select p.person_id from ${participants} p join ${meetings} m on m.id = p.meeting_id
  where ${isReadable(scope, workspace)} and ${isUnconfirmed} and p.name = (
    select p.name from ${participants} p join ${meetings} m on m.id = p.meeting_id
    where p.person_id = ${id} and ${isReadable(scope, workspace)} and ${isUnconfirmed} limit 1)`;
