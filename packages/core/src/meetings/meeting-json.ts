import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { participantId } from "../people/index.js";

const {
  calendarAttendees,
  calendarEvents,
  meetings,
  meetingTags,
  participants,
  summaries,
  tags,
  tasks,
  users,
} = schema;

const taskFields = sql`'content', k.text, 'completed', k.completed, 'assignee', case when k.assignee_name is not null
      then json_build_object('name', k.assignee_name, 'email', k.assignee_email) end`;

/** Selects the rows of a list as one JSON array. */
const selectJsonList = (item: SQL, rows: SQL, order: SQL): SQL =>
  sql`coalesce((select json_agg(json_build_object(${item}) order by ${order}) from ${rows}), '[]'::json)`;

/**
 * The parts of a meeting as JSON, for statements that read `fromMeetings`. Shared by `meetings.get` and webhook
 * payloads.
 */
export const meetingJson = {
  user: sql`json_build_object('id', u.id, 'email', u.email)`,
  summary: sql`json_build_object(
    'markdown', coalesce(s.markdown, ''), 'html', coalesce(s.html, ''), 'short', coalesce(s.short, ''))`,
  /** The turns in order. `turn` lists the fields of a turn, from segment `x` and its speaker `p`, whose ID is `p.shown`. */
  transcript: (turn: SQL): SQL =>
    selectJsonList(
      turn,
      sql`(select p.id, p.name, ${participantId()} as shown from ${participants} p where p.meeting_id = m.id offset 0) p
        join read_segments(m.id) x on x.speaker_id = p.id`,
      sql`x.position`,
    ),
  participants: selectJsonList(
    sql`'id', ${participantId()}, 'name', p.name, 'email', p.email`,
    sql`${participants} p where p.meeting_id = m.id`,
    sql`p.position`,
  ),
  tasks: selectJsonList(taskFields, sql`${tasks} k where k.meeting_id = m.id`, sql`k.position`),
  datedTasks: selectJsonList(
    sql`${taskFields}, 'due', k.due_on`,
    sql`${tasks} k where k.meeting_id = m.id`,
    sql`k.position`,
  ),
  /** Some of the tasks with their ids. `taskIds` is a text array. */
  changedTasks: (taskIds: SQL): SQL =>
    selectJsonList(
      sql`'id', k.id, ${taskFields}`,
      sql`${tasks} k where k.meeting_id = m.id and k.id = any(${taskIds})`,
      sql`k.position`,
    ),
  tags: selectJsonList(
    sql`'name', g.name, 'color', g.color`,
    sql`${meetingTags} b join ${tags} g on g.id = b.tag_id where b.meeting_id = m.id`,
    sql`g.name collate "C"`,
  ),
  attendees: selectJsonList(
    sql`'name', a.name, 'email', a.email, 'responseStatus', a.response_status, 'organizer', a.organizer`,
    sql`${calendarAttendees} a where a.meeting_id = m.id`,
    sql`a.position`,
  ),
};

/**
 * Joins meeting `m` with its user `u`, summary `s` and calendar event `e`. A locked summary is null and returned as an
 * empty one. If the condition `allowed` is false, the summary and the event are not read.
 * @see docs/open-questions.md#q14
 */
export const fromMeetings = (allowed: SQL = sql`true`): SQL => sql`${meetings} m
  cross join lateral (select ${allowed} as allowed) access
  join ${users} u on u.id = m.user_id
  left join ${summaries} s on s.meeting_id = m.id and allowed and not s.locked
  left join ${calendarEvents} e on e.meeting_id = m.id and allowed`;

/**
 * Returns what a turn says as Markdown. In a text of several lines, characters that format or begin a block are escaped:
 * otherwise a line `**Boss**: …` would read as another speaker's turn, and an open code block would hide the next ones.
 * A text of one line continues the line of its speaker and stays as it is.
 * @see docs/open-questions.md#q26
 */
const spokenMarkdown = sql`case when x.text ~ '[\\n\\r\\u2028\\u2029]'
  then regexp_replace(x.text, '([\\\\*_\`<#~])', '\\\\\\1', 'g') else x.text end`;

/**
 * Selects turns of meeting `m` in Markdown, each speaker's name in bold, then what they said, and their number. Characters
 * that would end the bold formatting are escaped. Built by the database: 520 turns as JSON would take both sides three
 * times as long.
 * @param turns selects the turns as `x`
 */
export const selectMarkdown = (turns: SQL): SQL => sql`
  select coalesce(string_agg(p.heading || ${spokenMarkdown}, e'\\n\\n' order by x.position), '') as transcript, count(*)::int as turns
  from (
    select id, '**' || regexp_replace(name, '([\\\\*_\`])', '\\\\\\1', 'g') || '**: ' as heading
    from ${participants} where meeting_id = m.id offset 0
  ) p
  join ${turns} on x.speaker_id = p.id`;
