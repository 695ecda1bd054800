import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { type Scope, selectMeetingIds } from "../../access/index.js";

const { meetings, participants, people, tasks } = schema;

/** Matches what recorders call speakers whose names they don't know, such as `Speaker 1`, `SPEAKER_00` and `Unknown speaker`. */
const PLACEHOLDERS = "^(unknown|((unknown )?(speaker|participant|spk))[ _#-]*([0-9]+|[a-z])?)$";

/** Builds the condition that a name isn't what a recorder calls somebody it doesn't know. */
const isName = (name: SQL): SQL => sql`${name} !~* ${sql.raw(`'${PLACEHOLDERS}'`)}`;

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

/** Selects the readable meetings of the workspace, before anything is joined to them. */
const selectReadable = (scope: Scope, workspace: SQL): SQL =>
  sql`(select m.id, m.start_time from ${meetings} m where ${isReadable(scope, workspace)} offset 0)`;

/**
 * Selects the unconfirmed people of the meetings in the scope: one per exact name, with all their IDs and the lowest one. The
 * same name elsewhere in the workspace adds nothing. Many meetings repeat few names, so names are checked once grouped
 * (`offset 0` keeps the planner from checking them before).
 * @param of an ID: only the person it belongs to
 */
export const selectUnconfirmed = (scope: Scope, workspace: SQL, of?: SQL): SQL => sql`
  select id, name, ids, "lastMet" from (
    select p.name, min(p.person_id) as id, array_agg(p.person_id) as ids, max(m.start_time) as "lastMet"
    from ${participants} p
    join ${selectReadable(scope, workspace)} m on m.id = p.meeting_id
    where ${isNamedOnly}
      ${of ? sql`and p.name in (select q.name from ${participants} q where q.person_id = ${of})` : sql``}
    group by p.name offset 0
  ) u where ${isName(sql`u.name`)} ${of ? sql`and ${of} = any(u.ids)` : sql``}`;

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
