import { MESSAGES, type MeetingDetail } from "@minutes/contract";
import { type Database, prepared, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { inScope, type Scope } from "./access.js";
import { presentEvent, type Turn, transcriptMarkdown } from "./present.js";

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
 * One meeting with everything that belongs to it, in one statement (contract: "Meeting (full detail)").
 * A locked summary shows as an empty one.
 * @throws ApiError 404 for an unknown meeting, 403 for one outside the scope.
 */
export async function getMeeting(db: Database, scope: Scope, meetingId: string): Promise<MeetingDetail> {
  const [row] = await prepared(db, `meeting_${scope.name}`, (db, name) =>
    detailStatement(db, name, scope),
  ).execute({
    ...scope.values,
    meetingId,
  });
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
  const { id, title, generatedTitle, startTime, endTime, user, summary, event, ...lists } = row;
  return {
    id,
    title,
    generatedTitle,
    startTime,
    endTime,
    user,
    summary,
    transcript: transcriptMarkdown(lists.turns),
    participants: lists.participants,
    tasks: lists.tasks,
    tags: lists.tags,
    event: presentEvent({ title, startTime, endTime }, event, lists.attendees),
  };
}

const detailStatement = (db: Database, name: string, scope: Scope) => {
  /** Rows of the meeting as a JSON list; nothing is read for a caller who may not see it. */
  const list = <Item>(item: string, from: ReturnType<typeof sql>, order: string) =>
    sql<Item[]>`case when allowed then coalesce((
      select json_agg(json_build_object(${sql.raw(item)}) order by ${sql.raw(order)}) from ${from}), '[]') else '[]' end`;
  return db
    .select({
      allowed: sql<boolean>`allowed`,
      id: sql<string>`m.id`,
      title: sql<string>`m.title`,
      generatedTitle: sql<string | null>`m.generated_title`,
      startTime: sql<string>`m.start_time`.mapWith(meetings.startTime),
      endTime: sql<string | null>`m.end_time`.mapWith(meetings.endTime),
      user: { id: sql<string>`u.id`, email: sql<string>`u.email` },
      summary: {
        markdown: sql<string>`coalesce(s.markdown, '')`,
        html: sql<string>`coalesce(s.html, '')`,
        short: sql<string>`coalesce(s.short, '')`,
      },
      event: {
        id: sql<string | null>`e.id`,
        externalId: sql<string | null>`e.external_id`,
        title: sql<string | null>`e.title`,
        scheduledTime: sql<string | null>`e.scheduled_time`.mapWith(calendarEvents.scheduledTime),
        endTime: sql<string | null>`e.end_time`.mapWith(calendarEvents.endTime),
      },
      turns: list<Turn>(
        `'speaker', p.name, 'text', x.text`,
        sql`${transcriptSegments} x join ${participants} p on p.meeting_id = x.meeting_id and p.id = x.speaker_id where x.meeting_id = m.id`,
        "x.position",
      ),
      participants: list<MeetingDetail["participants"][number]>(
        `'id', p.id, 'name', p.name, 'email', p.email`,
        sql`${participants} p where p.meeting_id = m.id`,
        "p.position",
      ),
      tasks: list<MeetingDetail["tasks"][number]>(
        `'content', k.text, 'completed', k.completed, 'assignee',
          case when k.assignee_name is null then null else json_build_object('name', k.assignee_name, 'email', k.assignee_email) end`,
        sql`${tasks} k where k.meeting_id = m.id`,
        "k.position",
      ),
      tags: list<MeetingDetail["tags"][number]>(
        `'name', g.name, 'color', g.color`,
        sql`${meetingTags} b join ${tags} g on g.id = b.tag_id where b.meeting_id = m.id`,
        `g.name collate "C"`,
      ),
      attendees: list<MeetingDetail["event"]["attendees"][number]>(
        `'name', a.name, 'email', a.email, 'responseStatus', a.response_status, 'organizer', a.organizer`,
        sql`${calendarAttendees} a where a.meeting_id = m.id`,
        "a.position",
      ),
    })
    .from(sql`${meetings} m
      join ${users} u on u.id = m.user_id
      cross join lateral (select ${inScope(scope)} as allowed) access
      left join ${summaries} s on s.meeting_id = m.id and allowed and not s.locked
      left join ${calendarEvents} e on e.meeting_id = m.id and allowed
      where m.id = ${sql.placeholder("meetingId")}`)
    .prepare(name);
};
