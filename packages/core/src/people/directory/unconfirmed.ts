import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { type Scope, selectMeetingIds } from "../../access/index.js";

const { meetings, participants, people, tasks } = schema;

/** Matches what recorders call speakers whose names they don't know, such as `Speaker 1`, `SPEAKER_00` and `Unknown speaker`. */
const PLACEHOLDERS = "^(unknown|((unknown )?(speaker|participant|spk))[ _#-]*([0-9]+|[a-z])?)$";

/**
 * Builds the condition that participant `p` is unconfirmed: a name, but no address, and nobody has said who they are. Such
 * speakers have an ID of their own in each meeting, without a row in `people`.
 */
export const isUnconfirmed: SQL = sql`(p.email is null and p.person_id is not null and p.name <> ''
  and p.name !~* ${sql.raw(`'${PLACEHOLDERS}'`)}
  and not exists (select from ${people} r where r.id = p.person_id))`;

/** Builds the condition that meeting `m` is a readable one of the workspace. */
const isReadable = (scope: Scope, workspace: SQL): SQL =>
  sql`m.workspace_id = ${workspace} and m.id in (${selectMeetingIds(scope)})`;

/**
 * Selects the unconfirmed people of the meetings in the scope: one per exact name, with the lowest of their IDs. The same
 * name elsewhere in the workspace adds nothing.
 * @param of an ID: only the person it belongs to
 */
export const selectUnconfirmed = (scope: Scope, workspace: SQL, of?: SQL): SQL => sql`
  select min(p.person_id) as id, ${workspace} as workspace_id, p.name, '[]'::json as emails,
    count(distinct m.id)::int as meetings,
    sum((select count(*) from ${tasks} k where k.meeting_id = m.id and k.assignee_person_id = p.person_id
      and not k.completed))::int as "openTasks",
    max(m.start_time) as "lastMet", false as confirmed
  from ${participants} p join ${meetings} m on m.id = p.meeting_id
  where ${isReadable(scope, workspace)} and ${isUnconfirmed}
    ${of ? sql`and p.name in (select q.name from ${participants} q where q.person_id = ${of})` : sql``}
  group by p.name ${of ? sql`having bool_or(p.person_id = ${of})` : sql``}`;

/**
 * Selects the IDs with the same name as the unconfirmed speaker with an ID, in the meetings in the scope; none unless the
 * caller can read the meeting of that speaker.
 */
export const selectSameName = (scope: Scope, workspace: SQL, id: SQL): SQL => sql`
  select p.person_id from ${participants} p join ${meetings} m on m.id = p.meeting_id
  where ${isReadable(scope, workspace)} and ${isUnconfirmed} and p.name = (
    select p.name from ${participants} p join ${meetings} m on m.id = p.meeting_id
    where p.person_id = ${id} and ${isReadable(scope, workspace)} and ${isUnconfirmed} limit 1)`;
