import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

const { meetings, participants, tasks } = schema;

/**
 * Selects the rows of meetings that name one of some people: mentions `s` by speakers and, with a `task`, by assignees, each with
 * its meeting `m`. The caller restricts the meetings.
 * @param ids an array of person IDs
 */
export const fromMentions = (ids: SQL): SQL => sql`(
    select p.meeting_id, p.name, p.email, null::text as task, false as open
    from ${participants} p where p.person_id = any(${ids})
    union all
    select k.meeting_id, k.assignee_name, k.assignee_email, k.id, not k.completed
    from ${tasks} k where k.assignee_person_id = any(${ids})
  ) s join ${meetings} m on m.id = s.meeting_id`;

/**
 * Aggregates mentions to the name of a person whom nobody has renamed or merged: that of the newest meeting, of a speaker before
 * that of an assignee; null if no mention has one.
 */
export const mentionedName: SQL = sql`(array_agg(s.name order by s.task is not null, m.start_time desc, m.id, s.name collate "C")
  filter (where s.name <> ''))[1]`;

/** Seconds of the turns `x` in a group whose start and end are known; null if none are. */
export const talkSeconds: SQL = sql`sum(greatest(x.end_seconds - x.start_seconds, 0))
  filter (where x.start_seconds is not null and x.end_seconds is not null)`;
