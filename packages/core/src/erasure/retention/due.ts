import { type Database, schema, writeArray } from "@minutes/db";
import { eq, type SQL, sql } from "drizzle-orm";

const { meetingHolds, meetings, meetingTags, members, retentionRules, tags } = schema;

/** A rule of a workspace: for meetings with a tag or, if the tag is null, for those whose tags have no rule. */
export interface Rule {
  readonly tag: string | null;
  readonly days: number;
}

/** A meeting that a rule is old enough for, up to which meetings were looked at. */
export interface Position {
  readonly startTime: string;
  readonly id: string;
}

/** Which of a workspace's rules is evaluated. */
export interface RuleOf<One extends Rule = Rule> {
  readonly workspaceId: string;
  readonly rule: One;
  readonly rules: readonly Rule[];
}

/** Reads the rules of a workspace, that for all meetings last. */
export const readRules = (db: Database, workspaceId: string) =>
  db
    .select()
    .from(retentionRules)
    .where(eq(retentionRules.workspaceId, workspaceId))
    .orderBy(sql`${retentionRules.tag} collate "C"`);

const isAged = ({ days }: Rule, startTime: SQL): SQL =>
  sql`${startTime} < now() - make_interval(days => ${days}::int)`;

/**
 * Selects `id` and `start_time` of the meetings that are old enough for a rule, by an index in that order.
 * @param page continues after a position, and ends after a number of meetings; all of them if absent
 */
export function selectAged(
  { workspaceId, rule }: RuleOf,
  page?: { readonly after: Position | null; readonly limit: number },
): SQL {
  const isNext = (startTime: SQL, id: SQL): SQL => {
    const after = page?.after;
    if (!after) return isAged(rule, startTime);
    return sql`${isAged(rule, startTime)} and (${startTime}, ${id}) > (${after.startTime}::timestamptz, ${after.id})`;
  };
  const firstOf = (columns: SQL): SQL => (page ? sql`order by ${columns} limit ${page.limit}` : sql``);
  if (rule.tag === null)
    return sql`select m.id, m.start_time from ${meetings} m
      where m.workspace_id = ${workspaceId} and ${isNext(sql`m.start_time`, sql`m.id`)}
      ${firstOf(sql`m.start_time, m.id`)}`;
  // A tag is its owner's, and each member can have one of the name.
  return sql`select l.meeting_id as id, l.start_time
    from ${members} b join ${tags} g on g.user_id = b.user_id and g.name = ${rule.tag}
    cross join lateral (
      select l.meeting_id, l.start_time from ${meetingTags} l
      where l.tag_id = g.id and ${isNext(sql`l.start_time`, sql`l.meeting_id`)}
      ${firstOf(sql`l.start_time, l.meeting_id`)}) l
    where b.workspace_id = ${workspaceId}
    ${firstOf(sql`l.start_time, l.meeting_id`)}`;
}

/**
 * Builds the condition that no other rule decides about a meeting that a rule is old enough for. The longest rule for its
 * tags decides, of several the first by name; the rule without a tag only if no tag has one.
 * @param many true for so many meetings that the workspace's tags are better read once than looked up for each
 */
export function isDecidedBy(
  { workspaceId, rule, rules }: RuleOf,
  meetingId: SQL,
  { many = false } = {},
): SQL {
  const decides = (other: Rule): boolean =>
    rule.tag === null || other.days > rule.days || (other.days === rule.days && (other.tag ?? "") < rule.tag);
  const others = rules.flatMap((other) => (other.tag !== null && decides(other) ? [other.tag] : []));
  if (others.length === 0) return sql`true`;
  // `offset 0` keeps the planner from reading all tags of that name instead.
  return sql`not exists (
    select from ${meetingTags} o join ${tags} t on t.id = o.tag_id join ${members} b on b.user_id = t.user_id
    where o.meeting_id = ${meetingId} and t.name = any(${writeArray(others)}::text::text[]) and b.workspace_id = ${workspaceId}
    ${many ? sql`` : sql`offset 0`})`;
}

/** Builds the condition that a rule deletes meeting `m`. */
export const isDue = (one: RuleOf): SQL => sql`(
  m.workspace_id = ${one.workspaceId} and ${isAged(one.rule, sql`m.start_time`)} and ${isDecidedBy(one, sql`m.id`)}
  and ${
    one.rule.tag === null
      ? sql`true`
      : sql`exists (select from ${meetingTags} l join ${tags} g on g.id = l.tag_id
          where l.meeting_id = m.id and g.name = ${one.rule.tag} offset 0)`
  }
  and not ${isHeld(sql`m.id`)})`;

/** Builds the condition that a meeting is on hold. */
export const isHeld = (meetingId: SQL): SQL =>
  sql`exists (select from ${meetingHolds} h where h.meeting_id = ${meetingId} offset 0)`;
