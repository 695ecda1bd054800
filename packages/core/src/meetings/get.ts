import { MESSAGES, type MeetingDetail } from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { inScope, type Scope } from "../access/index.js";
import { ApiError } from "../errors.js";
import { type Turn, transcriptMarkdown } from "./present.js";

const {
  calendarAttendees,
  calendarEvents,
  meetings,
  meetingTags,
  participants,
  summaries,
  tags,
  tasks,
  transcriptSegments,
  users,
} = schema;

/**
 * One meeting with everything that belongs to it, in one statement.
 * A locked summary shows as an empty one.
 * @see docs/specification.md#meeting-full-detail
 * @throws ApiError 404 for an unknown meeting, 403 for one outside the scope.
 */
export async function getMeeting(db: Database, scope: Scope, meetingId: string): Promise<MeetingDetail> {
  const [row] = await execute<DetailRow>(db, `meeting_${scope.name}`, () => detailIn(scope), {
    ...scope.values,
    meetingId,
  });
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
  const { title, startTime, endTime } = row;
  return {
    id: meetingId,
    title,
    generatedTitle: row.generatedTitle,
    startTime,
    endTime,
    user: row.user,
    summary: row.summary,
    transcript: transcriptMarkdown(row.turns),
    participants: row.participants,
    tasks: row.tasks,
    tags: row.tags,
    event: {
      id: row.eventId,
      externalId: row.eventExternalId,
      title: row.eventTitle ?? title,
      scheduledTime: row.eventTime ?? startTime,
      endTime: row.eventEndTime ?? endTime,
      attendees: row.attendees,
    },
  };
}

type DetailRow = Omit<MeetingDetail, "id" | "transcript" | "event"> & {
  readonly allowed: boolean;
  readonly turns: readonly Turn[];
  readonly eventId: string | null;
  readonly eventExternalId: string | null;
  readonly eventTitle: string | null;
  readonly eventTime: string | null;
  readonly eventEndTime: string | null;
  readonly attendees: MeetingDetail["event"]["attendees"];
};

/** Rows of the meeting as a JSON list; none are read for a caller who may not see it. */
const list = (item: SQL, rows: SQL, order: SQL): SQL => sql`
  case when allowed then coalesce((select json_agg(json_build_object(${item}) order by ${order}) from ${rows}), '[]') else '[]' end`;

const detailIn = (scope: Scope): SQL => sql`
  select allowed, m.title, m.generated_title as "generatedTitle", m.start_time as "startTime", m.end_time as "endTime",
    json_build_object('id', u.id, 'email', u.email) as "user",
    json_build_object('markdown', coalesce(s.markdown, ''), 'html', coalesce(s.html, ''), 'short', coalesce(s.short, '')) as summary,
    ${list(
      sql`'speaker', p.name, 'text', x.text`,
      sql`${transcriptSegments} x join ${participants} p on p.meeting_id = x.meeting_id and p.id = x.speaker_id where x.meeting_id = m.id`,
      sql`x.position`,
    )} as turns,
    ${list(
      sql`'id', p.id, 'name', p.name, 'email', p.email`,
      sql`${participants} p where p.meeting_id = m.id`,
      sql`p.position`,
    )} as participants,
    ${list(
      sql`'content', k.text, 'completed', k.completed, 'assignee', case when k.assignee_name is not null
        then json_build_object('name', k.assignee_name, 'email', k.assignee_email) end`,
      sql`${tasks} k where k.meeting_id = m.id`,
      sql`k.position`,
    )} as tasks,
    ${list(
      sql`'name', g.name, 'color', g.color`,
      sql`${meetingTags} b join ${tags} g on g.id = b.tag_id where b.meeting_id = m.id`,
      sql`g.name collate "C"`,
    )} as tags,
    e.id as "eventId", e.external_id as "eventExternalId", e.title as "eventTitle",
    e.scheduled_time as "eventTime", e.end_time as "eventEndTime",
    ${list(
      sql`'name', a.name, 'email', a.email, 'responseStatus', a.response_status, 'organizer', a.organizer`,
      sql`${calendarAttendees} a where a.meeting_id = m.id`,
      sql`a.position`,
    )} as attendees
  from ${meetings} m
  cross join lateral (select ${inScope(scope)} as allowed) access
  join ${users} u on u.id = m.user_id
  left join ${summaries} s on s.meeting_id = m.id and allowed and not s.locked
  left join ${calendarEvents} e on e.meeting_id = m.id and allowed
  where m.id = ${sql.placeholder("meetingId")}`;
