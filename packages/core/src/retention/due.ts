import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

const { meetingHolds, meetingTags, retentionRules, tags } = schema;

/** Selects `tag` and `days` of a workspace's rules. */
export const selectRules = (workspaceId: string): SQL =>
  sql`select r.tag, r.days from ${retentionRules} r where r.workspace_id = ${workspaceId}`;

/**
 * Builds the condition that meeting `m` is of a workspace and older than its rules allow: the longest of the rules for
 * its tags or, if no tag has one, the rule for all meetings.
 * @param rules selects `tag` and `days`
 */
export const isOverdue = (workspaceId: string, rules: SQL): SQL => sql`(
  m.workspace_id = ${workspaceId}
  and m.start_time < now() - make_interval(days => (select min(q.days) from (${rules}) q))
  and m.start_time < now() - make_interval(days => coalesce(
    (select max(q.days) from (${rules}) q where q.tag in (
      select g.name from ${meetingTags} l join ${tags} g on g.id = l.tag_id where l.meeting_id = m.id)),
    (select q.days from (${rules}) q where q.tag is null))))`;

/** The condition that meeting `m` is on hold. */
export const isHeld: SQL = sql`exists (select from ${meetingHolds} h where h.meeting_id = m.id)`;
