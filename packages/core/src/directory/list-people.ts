import {
  FIELD_MESSAGES,
  type ListPeople,
  MESSAGES,
  type PeoplePage,
  type PersonDetail,
} from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope } from "../access/index.js";
import { ApiError } from "../errors.js";
import { getRowLimit } from "../paging.js";
import { foldName, talkSeconds } from "../people/index.js";

const { meetings, participants, people, tasks } = schema;

/** The directory as a caller sees it. */
export interface Directory {
  /** Meetings that the caller can read: only people of these are listed. */
  readonly scope: Scope;
  readonly workspaceId: string;
}

/** Selects the IDs that stand for person `d`: their own, and those merged into it. */
const allIds = sql`array(select g.id from ${people} g where (g.id = d.id or g.merged_into = d.id) and g.workspace_id = d.workspace_id)`;

/** Selects the visible fields of person `d`; nothing where `seen` is 0. */
const selectFacts = (scope: Scope): SQL => sql`
  select count(*)::int as seen, count(distinct m.id) filter (where s.task is null)::int as meetings,
    count(distinct s.task) filter (where s.open)::int as "openTasks", max(m.start_time) as "lastMet",
    coalesce(json_agg(distinct lower(s.email)) filter (where s.email is not null), '[]') as emails
  from (
    select p.meeting_id, p.email, null::text as task, false as open
    from ${participants} p where p.person_id = any(${allIds})
    union all
    select k.meeting_id, k.assignee_email, k.id, not k.completed
    from ${tasks} k where k.assignee_person_id = any(${allIds})
  ) s join ${meetings} m on m.id = s.meeting_id
  where m.workspace_id = d.workspace_id and ${buildScopeCondition(scope)}`;

const columns = sql`d.id, d.name, f.emails, f.meetings, f."openTasks", f."lastMet"`;

type PersonRow = PeoplePage["people"][number];

/** Builds the order of people by name, without accents and case. It's the same on every server, whatever its locale. */
const byName = (person: SQL): SQL =>
  sql`${foldName(sql`${person}.name`)} collate "C", ${person}.name collate "C", ${person}.id`;

/** Lists the people in the meetings that a caller can read, by name. @throws ApiError 400 for an unknown cursor */
export async function listPeople(
  db: Database,
  { scope, workspaceId }: Directory,
  { name, limit, cursor }: ListPeople,
): Promise<PeoplePage> {
  const rows = getRowLimit(limit);
  const found = await runNamedStatement<PersonRow & { readonly isKnown: boolean }>(
    db,
    `people_${scope.name}_${rows}${cursor ? "_after" : ""}`,
    () => {
      const start = sql`select ${byName(sql`c`)} from ${people} c
        where c.id = ${sql.placeholder("cursor")} and c.workspace_id = ${sql.placeholder("workspaceId")}`;
      return sql`
        select ${columns} from ${people} d cross join lateral (${selectFacts(scope)}) f
        where d.workspace_id = ${sql.placeholder("workspaceId")} and d.merged_into is null and f.seen > 0
          and strpos(${foldName(sql`d.name`)}, ${foldName(sql`${sql.placeholder("name")}::text`)}) > 0
          ${cursor ? sql`and (${byName(sql`d`)}) > (${start})` : sql``}
        order by ${byName(sql`d`)} limit ${sql.raw(String(rows))}`;
    },
    { ...scope.values, workspaceId, name: name ?? "", cursor: cursor ?? null },
  );
  if (cursor && found.length === 0 && !(await isPerson(db, workspaceId, cursor)))
    throw new ApiError("BAD_REQUEST", FIELD_MESSAGES.cursor ?? "");
  const page = found.slice(0, limit);
  return { people: page, nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}

const isPerson = async (db: Database, workspaceId: string, id: string): Promise<boolean> =>
  (await db.$count(people, sql`${people.id} = ${id} and ${people.workspaceId} = ${workspaceId}`)) > 0;

/** Number of meetings shown of a person. */
const RECENT = 50;

/** Reads a person with their latest meetings. @throws ApiError 404 for one in no meeting that the caller can read */
export async function getPerson(
  db: Database,
  { scope, workspaceId }: Directory,
  personId: string,
): Promise<PersonDetail> {
  const [person] = await runNamedStatement<PersonDetail>(
    db,
    `person_${scope.name}`,
    () => sql`
      select ${columns}, coalesce((
        select json_agg(json_build_object('id', r.id, 'title', r.title, 'startTime', r.start_time, 'turns', r.turns,
          'talkSeconds', r.seconds) order by r.start_time desc, r.id)
        from (
          select m.id, m.title, m.start_time, t.turns, t.seconds from (
            select m.id, m.title, m.start_time from ${meetings} m
            where m.id in (select p.meeting_id from ${participants} p where p.person_id = any(${allIds}))
              and m.workspace_id = d.workspace_id and ${buildScopeCondition(scope)}
            order by m.start_time desc, m.id limit ${sql.raw(String(RECENT))}
          ) m cross join lateral (
            select count(*)::int as turns, ${talkSeconds} as seconds
            from read_segments(m.id) x join ${participants} p on p.meeting_id = m.id and p.id = x.speaker_id
            where p.person_id = any(${allIds})
          ) t
        ) r), '[]') as "recentMeetings"
      from ${people} d cross join lateral (${selectFacts(scope)}) f
      where d.id = coalesce((select r.merged_into from ${people} r where r.id = ${sql.placeholder("personId")}),
          ${sql.placeholder("personId")}) and d.workspace_id = ${sql.placeholder("workspaceId")} and f.seen > 0`,
    { ...scope.values, workspaceId, personId },
  );
  if (!person) throw new ApiError("NOT_FOUND", MESSAGES.personNotFound);
  const recentMeetings = person.recentMeetings.map((meeting) => ({
    ...meeting,
    // JSON of the database has times in another form.
    startTime: new Date(meeting.startTime).toISOString(),
  }));
  return { ...person, recentMeetings };
}
