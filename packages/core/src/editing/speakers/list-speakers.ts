import { MESSAGES, type MeetingSpeakers } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  buildOwnedCondition,
  buildScopeCondition,
  type Caller,
  editableBy,
  readableBy,
} from "../../access/index.js";
import { ERASED_EMAIL } from "../../lib/erased.js";
import { ApiError } from "../../lib/errors.js";
import { isPersonIn, participantId, talkSeconds } from "../../people/index.js";
import { readVersion } from "../../versions/index.js";

const { calendarAttendees, calendarEvents, meetings, members, participants, people, users } = schema;

type Speakers = MeetingSpeakers["speakers"];
type Suggestion = MeetingSpeakers["suggestions"][number];

/** Maximum number of suggestions, and of the owner's latest meetings that are searched for them. */
const SUGGESTIONS_MAX = 50;
const MEETINGS_SEARCHED = 1_000;
/** Number of earlier meetings of a series whose speakers are suggested. */
const SERIES = 10;

/**
 * Lists the speakers of a meeting with their turns and talk time, for everyone who can read it; with suggestions who they
 * are for those who can edit it.
 * @throws ApiError 404 for an unknown meeting, 403 for one that the caller can't read
 */
export async function listSpeakers(
  db: Database,
  caller: Caller,
  meetingId: string,
): Promise<MeetingSpeakers> {
  const reads = readableBy(caller);
  // Before the content, as for the meeting.
  const version = await readVersion(db, meetingId);
  const values = { ...reads.values, meetingId };
  const [row] = await runNamedStatement<{
    readonly allowed: boolean;
    readonly editable: boolean;
    readonly speakers: Speakers;
  }>(
    db,
    `speakers_${reads.name}`,
    () => sql`
      select allowed, ${buildOwnedCondition(editableBy(caller), "m")} as editable,
        case when allowed then ${speakersJson} else '[]' end as speakers
      from ${meetings} m cross join lateral (select ${buildScopeCondition(reads)} as allowed) access
      where m.id = ${sql.placeholder("meetingId")}`,
    values,
  );
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
  const suggestions = row.editable ? await suggest(db, meetingId, row.speakers) : [];
  return { version, speakers: [...row.speakers], suggestions };
}

const speakersJson: SQL = sql`coalesce((
  select json_agg(json_build_object('speakerLabel', p.id, 'personId', ${participantId()}, 'name', p.name, 'email', p.email,
    'named', p.named, 'turns', coalesce(t.turns, 0), 'talkSeconds', t.seconds) order by p.position)
  from ${participants} p
  left join (
    select x.speaker_id, count(*)::int as turns, ${talkSeconds} as seconds
    from read_segments(m.id) x group by x.speaker_id
  ) t on t.speaker_id = p.id
  where p.meeting_id = m.id), '[]')`;

/** Suggests people who are not among the speakers yet. The caller can edit the meeting. */
async function suggest(db: Database, meetingId: string, speakers: Speakers): Promise<Suggestion[]> {
  const found = await runNamedStatement<Suggestion>(db, "speaker_suggestions", () => selectSuggestions, {
    meetingId,
    erased: ERASED_EMAIL,
  });
  const taken = new Set(speakers.flatMap(({ personId, email }) => [personId, email?.toLowerCase()]));
  const suggestions: Suggestion[] = [];
  for (const { personId, name, email, reason } of found) {
    const keys = [personId, email?.toLowerCase()].filter((key) => key !== null && key !== undefined);
    if (keys.some((key) => taken.has(key))) continue;
    for (const key of keys) taken.add(key);
    suggestions.push({ personId, name, email, reason });
    if (suggestions.length === SUGGESTIONS_MAX) break;
  }
  return suggestions;
}

/** Removes from an event's ID at the calendar provider the day that Google adds to the events of a series. */
const toSeries = (column: SQL): SQL => sql`regexp_replace(${column}, '_R?\\d{8}(T\\d{6}Z?)?$', '')`;

/** Attendees, except erased ones, then speakers of the owner's earlier meetings with the title or of the series, then members. */
const selectSuggestions: SQL = sql`
  with this as materialized (
    select m.id, m.user_id, m.workspace_id, m.title, m.start_time, ${toSeries(sql`e.external_id`)} as series
    from ${meetings} m left join ${calendarEvents} e on e.meeting_id = m.id
    where m.id = ${sql.placeholder("meetingId")}
  ), earlier as materialized (
    select o.id, o.start_time from this t cross join lateral (
      select m.id, m.title, m.start_time from ${meetings} m
      where m.user_id = t.user_id and m.workspace_id = t.workspace_id and m.start_time < t.start_time
      order by m.start_time desc limit ${sql.raw(String(MEETINGS_SEARCHED))}
    ) o left join ${calendarEvents} e on e.meeting_id = o.id
    where o.title = t.title or ${toSeries(sql`e.external_id`)} = t.series
    order by o.start_time desc limit ${sql.raw(String(SERIES))}
  ), spoke as (
    select ${participantId(sql`t.workspace_id`)} as person, p.name, p.email, o.start_time
    from this t cross join earlier o join ${participants} p on p.meeting_id = o.id
    where p.person_id is not null and (p.email is not null or exists (
      select from ${people} d where ${isPersonIn(sql`d`, sql`p.person_id`, sql`t.workspace_id`)}))
  ), series as (
    select distinct on (s.person) s.person, s.name, s.email, s.start_time,
      count(*) over (partition by s.person) as times
    from spoke s order by s.person, s.email is null, s.start_time desc
  )
  select s."personId", s.name, s.email, s.reason from (
    select null::text as "personId", a.name, a.email, 'attendee' as reason, 1 as rank, 0::bigint as times, a.position
    from ${calendarAttendees} a join this t on t.id = a.meeting_id
    where a.email <> ${sql.placeholder("erased")}
    union all
    select s.person, s.name, s.email, 'series', 2, s.times, 0 from series s
    union all
    select null, u.name, u.email, 'member', 3, 0, 0
    from this t join ${members} b on b.workspace_id = t.workspace_id join ${users} u on u.id = b.user_id
  ) s order by s.rank, s.times desc, s.position, s.name, s.email limit 1000`;
