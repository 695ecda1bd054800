import {
  FIELD_MESSAGES,
  type ListPeople,
  MESSAGES,
  type PeoplePage,
  type PersonDetail,
} from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  buildOwnedCondition,
  buildScopeCondition,
  type Caller,
  editableBy,
  readableBy,
  type Scope,
} from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { getRowLimit } from "../../lib/paging.js";
import { foldName, fromMentions, isPersonIn, mentionedName, talkSeconds } from "../index.js";
import {
  countMeetings,
  countOpenTasks,
  isName,
  isUnconfirmed,
  selectMentioned,
  selectReadable,
  selectSameName,
  selectUnconfirmedIds,
  selectUnconfirmedNames,
} from "./unconfirmed.js";

const { meetings, participants, people } = schema;

/** Selects the IDs that stand for person `d`: their own, and those merged into it. */
const mergedIds = sql`array(
  select d.id union select g.id from ${people} g where g.merged_into = d.id and g.workspace_id = d.workspace_id)`;

/**
 * Selects the people `d` of `from`, with the IDs that stand for them, as a caller sees them: only what the meetings in the
 * scope say, nothing for people of other meetings. A name that no admin has confirmed is the one in the newest of these meetings, of a speaker before that of an
 * assignee: the directory's comes from whatever meeting was stored first.
 */
const selectVisible = (scope: Scope, from: SQL, ids: SQL = mergedIds): SQL => sql`
  select d.id, d.workspace_id, d.confirmed, case when d.revision > 0 then d.name else coalesce(f.name, '') end as name,
    f.emails, f.meetings, f."openTasks", f."lastMet"
  from ${from} cross join lateral (
    select count(*) as seen, count(distinct m.id) filter (where s.task is null)::int as meetings,
      count(distinct s.task) filter (where s.open)::int as "openTasks", max(m.start_time) as "lastMet",
      coalesce(json_agg(distinct lower(s.email)) filter (where s.email is not null), '[]') as emails,
      ${mentionedName} as name
    from ${fromMentions(ids)}
    where m.workspace_id = d.workspace_id and ${buildScopeCondition(scope)}
  ) f
  where f.seen > 0`;

const columns = sql`d.id, d.name, d.emails, d.meetings, d."openTasks", d."lastMet", d.confirmed`;

type PersonRow = PeoplePage["people"][number];

/** Builds the order of people by name, without accents and case. It's the same on every server, whatever its locale. */
const byName = (person: SQL): SQL =>
  sql`${foldName(sql`${person}.name`)} collate "C", ${person}.name collate "C", ${person}.id`;

/**
 * Builds the name of person `d` with the mentions `f`, the one that `selectVisible` finds. Only mentions with different names
 * have to be looked up, to find the newest.
 */
const buildName = (scope: Scope): SQL => sql`
  case when d.revision > 0 then d.name when f.name = f."otherName" then f.name when f.name is null then '' else (
    select ${mentionedName} from ${fromMentions(mergedIds)}
    where m.workspace_id = d.workspace_id and ${buildScopeCondition(scope)}
  ) end`;

/**
 * Builds the statement of a page. Names sort and filter, so it finds everyone's, in all meetings at once. The rest is counted
 * only for the people of the page.
 * @param named whether only some names are listed @param after whether the page follows a cursor
 */
const selectPage = (scope: Scope, rows: number, named: boolean, after: boolean): SQL => {
  const workspace = sql`${sql.placeholder("workspaceId")}::text`;
  const last = sql`${sql.placeholder("cursor")}::text`;
  const readable = selectReadable(scope, workspace);
  const knownBy = (which: SQL) =>
    selectVisible(scope, sql`(select d.*, true as confirmed from ${people} d where ${which}) d`);
  const isNamed = sql`strpos(${foldName(sql`d.name`)}, ${foldName(sql`${sql.placeholder("name")}::text`)}) > 0`;
  // A speaker's ID can have several names: the last of them, so that no page repeats the one before.
  const isAfter = sql`(${byName(sql`d`)}) > (
    select ${byName(sql`c`)} from (
      select d.id, d.name from (${knownBy(isPersonIn(sql`d`, last, workspace))}) d
      union all
      select e.id, e.name from everyone e
      where not e.confirmed and e.name in (${selectUnconfirmedNames(readable, last)})
    ) c order by (${byName(sql`c`)}) desc limit 1)`;
  return sql`
    with mentioned as materialized (${selectMentioned(readable, workspace)}),
    everyone as materialized (
      select d.id, ${buildName(scope)} as name, true as confirmed, f."lastMet"
      from mentioned f join ${people} d on d.id = f.known where d.merged_into is null
      union all
      select f.id, f.name, false, f."lastMet" from mentioned f where f.known is null and ${isName(sql`f.name`)}),
    page as materialized (
      select d.* from everyone d where ${named ? isNamed : sql`true`} and ${after ? isAfter : sql`true`}
      order by ${byName(sql`d`)} limit ${sql.raw(String(rows))}),
    unconfirmed as materialized (${selectUnconfirmedIds(readable, sql`select g.name from page g where not g.confirmed`)})
    select * from (
      select ${columns} from (${knownBy(sql`d.id in (select g.id from page g where g.confirmed)`)}) d
      union all
      select d.id, d.name, '[]', ${countMeetings(sql`u.ids`)}, ${countOpenTasks(sql`u.ids`)}, d."lastMet", false
      from page d join unconfirmed u on u.name = d.name where not d.confirmed
    ) d order by ${byName(sql`d`)}`;
};

/**
 * Lists the people in the meetings that a caller can read, by name.
 * @throws ApiError 400 for a cursor that is nobody whom the caller can see
 */
export async function listPeople(
  db: Database,
  caller: Caller,
  { name, limit, cursor }: ListPeople,
): Promise<PeoplePage> {
  const scope = readableBy(caller);
  const rows = getRowLimit(limit);
  const found = await runNamedStatement<PersonRow>(
    db,
    `people_${scope.name}_${rows}${name ? "_named" : ""}${cursor ? "_after" : ""}`,
    () => selectPage(scope, rows, Boolean(name), Boolean(cursor)),
    { ...scope.values, workspaceId: caller.workspaceId, name, cursor },
  );
  if (cursor && found.length === 0 && !(await findPerson(db, caller, cursor)))
    throw new ApiError("BAD_REQUEST", FIELD_MESSAGES.cursor ?? "");
  const page = found.slice(0, limit);
  return { people: page, nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** Number of meetings shown of a person. */
const RECENT = 50;

/**
 * Reads a person with their latest meetings: one of the directory, or an unconfirmed speaker with all who have the name.
 * @throws ApiError 404 for one in no meeting that the caller can read
 */
export async function getPerson(db: Database, caller: Caller, personId: string): Promise<PersonDetail> {
  const person = await findPerson(db, caller, personId);
  if (!person) throw new ApiError("NOT_FOUND", MESSAGES.personNotFound);
  const recentMeetings = person.recentMeetings.map((meeting) => ({
    ...meeting,
    // JSON of the database has times in another form.
    startTime: new Date(meeting.startTime).toISOString(),
  }));
  return { ...person, recentMeetings };
}

async function findPerson(db: Database, caller: Caller, personId: string): Promise<PersonDetail | undefined> {
  const scope = readableBy(caller);
  const workspace = sql`${sql.placeholder("workspaceId")}::text`;
  const asked = sql`${sql.placeholder("personId")}::text`;
  const [person] = await runNamedStatement<PersonDetail>(
    db,
    `person_${scope.name}`,
    () => {
      const head = sql`coalesce((select r.merged_into from ${people} r where ${isPersonIn(sql`r`, asked, workspace)}), ${asked})`;
      const known = sql`(
        select h.id, ${workspace} as workspace_id, r.name, coalesce(r.revision, 0) as revision, r.id is not null as confirmed
        from (select ${head} as id) h left join ${people} r on ${isPersonIn(sql`r`, sql`h.id`, workspace)}) d`;
      const ids = sql`(select a.ids from all_ids a)::text[]`;
      return sql`
      with all_ids as materialized (
        select ${mergedIds} || array(${selectSameName(scope, workspace, asked)}) as ids from ${known}
      )
      select ${columns}, (
        select count(distinct m.id)::int from ${participants} p join ${meetings} m on m.id = p.meeting_id
        where p.person_id = any(${ids}) and m.workspace_id = d.workspace_id and ${isUnconfirmed}
          and ${buildOwnedCondition(editableBy(caller), "m")}
      ) as confirmable, coalesce((
        select json_agg(json_build_object('id', r.id, 'title', r.title, 'startTime', r.start_time,
          'startPrecision', r.start_precision, 'turns', r.turns,
          'talkSeconds', r.seconds) order by r.start_time desc, r.id)
        from (
          select m.id, m.title, m.start_time, m.start_precision, t.turns, t.seconds from (
            select m.id, m.title, m.start_time, m.start_precision from ${meetings} m
            where m.id in (select p.meeting_id from ${participants} p where p.person_id = any(${ids}))
              and m.workspace_id = d.workspace_id and ${buildScopeCondition(scope)}
            order by m.start_time desc, m.id limit ${sql.raw(String(RECENT))}
          ) m cross join lateral (
            select count(*)::int as turns, ${talkSeconds} as seconds
            from read_segments(m.id) x join ${participants} p on p.meeting_id = m.id and p.id = x.speaker_id
            where p.person_id = any(${ids})
          ) t
        ) r), '[]') as "recentMeetings"
      from (${selectVisible(scope, known, ids)}) d`;
    },
    { ...scope.values, workspaceId: caller.workspaceId, personId },
  );
  return person;
}
