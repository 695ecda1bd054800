import type { MeetingCompleted } from "@minutes/contract";
import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

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

/** A time in the form of the wire. */
const instant = (column: SQL): SQL =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const list = (item: SQL, rows: SQL, order: SQL): SQL =>
  sql`coalesce((select json_agg(json_build_object(${item}) order by ${order}) from ${rows}), '[]'::json)`;

/**
 * The `data` of a completed meeting's payload as JSON text, read from the
 * meeting's rows `m` of `dataRows`. The database writes it, because it does so within the completing transaction, in
 * the statement that enqueues, and the content makes no detour through this process.
 * @see docs/specification.md#events
 * @see docs/open-questions.md#q20
 */
export const dataOfMeeting: SQL = sql`json_build_object(
  'id', m.id,
  'title', m.title,
  'startTime', ${instant(sql`m.start_time`)},
  'endTime', ${instant(sql`m.end_time`)},
  'user', json_build_object('id', u.id, 'email', u.email),
  'summary', json_build_object(
    'markdown', coalesce(s.markdown, ''), 'html', coalesce(s.html, ''), 'short', coalesce(s.short, '')),
  'transcript', ${list(
    sql`'speakerId', x.speaker_id, 'speakerName', a.name, 'text', x.text`,
    sql`${transcriptSegments} x join ${participants} a on a.meeting_id = x.meeting_id and a.id = x.speaker_id where x.meeting_id = m.id`,
    sql`x.position`,
  )},
  'participants', ${list(
    sql`'id', a.id, 'name', a.name, 'email', a.email`,
    sql`${participants} a where a.meeting_id = m.id`,
    sql`a.position`,
  )},
  'tasks', ${list(
    sql`'content', k.text, 'completed', k.completed, 'assignee', case when k.assignee_name is not null
      then json_build_object('name', k.assignee_name, 'email', k.assignee_email) end`,
    sql`${tasks} k where k.meeting_id = m.id`,
    sql`k.position`,
  )},
  'tags', ${list(
    sql`'name', g.name, 'color', g.color`,
    sql`${meetingTags} b join ${tags} g on g.id = b.tag_id where b.meeting_id = m.id`,
    sql`g.name collate "C"`,
  )},
  'event', json_build_object(
    'id', e.id,
    'externalId', e.external_id,
    'title', coalesce(e.title, m.title),
    'scheduledTime', ${instant(sql`coalesce(e.scheduled_time, m.start_time)`)},
    'endTime', ${instant(sql`coalesce(e.end_time, m.end_time)`)},
    'attendees', ${list(
      sql`'name', a.name, 'email', a.email, 'responseStatus', a.response_status, 'organizer', a.organizer`,
      sql`${calendarAttendees} a where a.meeting_id = m.id`,
      sql`a.position`,
    )}))::text`;

/** The rows that `dataOfMeeting` reads. A locked summary shows as an empty one. @see docs/open-questions.md#q14 */
export const dataRows: SQL = sql`${meetings} m
  join ${users} u on u.id = m.user_id
  left join ${summaries} s on s.meeting_id = m.id and not s.locked
  left join ${calendarEvents} e on e.meeting_id = m.id`;

/** The body of a delivery: byte for byte the same on every attempt. */
export const bodyOf = (deliveryId: string, createdSeconds: number, data: string): string =>
  `{"metadata":{"id":"${deliveryId}","event":"meeting.completed","created":${createdSeconds}},"data":${data}}`;

/** What a test send says: nobody's meeting, with something in every field. */
export const SAMPLE_DATA: MeetingCompleted["data"] = {
  id: "mtg_sample",
  title: "Weekly planning (sample)",
  startTime: "2025-01-06T09:00:00.000Z",
  endTime: "2025-01-06T09:25:30.000Z",
  user: { id: "usr_sample", email: "dana@example.com" },
  summary: {
    markdown: "## Decisions\n\n- The release moves to **Thursday**.",
    html: "<h2>Decisions</h2>\n<ul>\n<li>The release moves to <strong>Thursday</strong>.</li>\n</ul>\n",
    short: "The release moves to Thursday.",
  },
  transcript: [
    { speakerId: "s1", speakerName: "Dana", text: "Shall we move the release to Thursday?" },
    { speakerId: "s2", speakerName: "Zoë Müller", text: "Yes – the café tour 🎉 is on Wednesday." },
  ],
  participants: [
    { id: "s1", name: "Dana", email: "dana@example.com" },
    { id: "s2", name: "Zoë Müller", email: null },
  ],
  tasks: [
    {
      content: "Tell the customers about Thursday",
      completed: false,
      assignee: { name: "Dana", email: "dana@example.com" },
    },
    { content: "Book the café", completed: false, assignee: null },
  ],
  tags: [{ name: "Planning", color: "#2563EB" }],
  event: {
    id: "evt_sample",
    externalId: "calendar-sample",
    title: "Weekly planning",
    scheduledTime: "2025-01-06T09:00:00.000Z",
    endTime: "2025-01-06T09:30:00.000Z",
    attendees: [{ name: "Dana", email: "dana@example.com", responseStatus: "accepted", organizer: true }],
  },
};
