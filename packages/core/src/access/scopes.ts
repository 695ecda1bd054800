import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { PersonalCaller, WorkspaceCaller } from "./callers.js";

const { meetingShares, meetingTags, tags, tagShares, users } = schema;

/**
 * Says who may see what, in one place: every statement that reads meetings, or what belongs to them, takes its rows
 * from a scope, and nothing else decides access.
 */
export interface Scope {
  /** Identifies the prepared statement. Scopes of one name have the same SQL text; what is the caller's goes into `values`. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly values: Readonly<Record<string, string>>;
}

/** One way in which meetings reach a caller. */
export type Source = ColumnSource | LinkedSource;

/** A source that is matched by a column of the meeting's row. Rows of tasks have the same column. */
interface ColumnSource {
  readonly column: "user_id" | "workspace_id";
  /** Narrows to the meetings of one owner. */
  readonly owner?: SQL;
}

/** Meetings that reach the caller through a table `l` of links, each with the meeting's id and start. */
interface LinkedSource {
  readonly links: SQL;
  readonly where: SQL;
  /** Set when meetings are linked through tags: a subquery `t` with one `tag_id` for each row. */
  readonly throughTags?: SQL;
}

const caller = sql.placeholder("caller");
const tag = sql.placeholder("tag");
const userEmail = sql.placeholder("userEmail");

const owned: Source = { column: "user_id" };
const byMembers: Source = { column: "workspace_id" };
const byMember: Source = {
  column: "workspace_id",
  owner: sql`(select u.id from ${users} u where u.email = ${userEmail})`,
};
const sharedWith = (user: SQL): Source => ({
  links: sql`${meetingShares} l`,
  where: sql`l.user_id = ${user}`,
});
const under = (tagIds: SQL): Source => ({
  throughTags: sql`(${tagIds}) t`,
  links: sql`${meetingTags} l`,
  where: sql`l.tag_id = t.tag_id`,
});
const taggedFor = (user: SQL): Source =>
  under(sql`select s.tag_id from ${tagShares} s where s.user_id = ${user}`);
const shares = (user: SQL): readonly Source[] => [sharedWith(user), taggedFor(user)];
const namedTag = under(sql`
  select g.id as tag_id from ${tags} g where g.user_id = ${caller} and g.name = ${tag}
  union all
  select s.tag_id from ${tagShares} s join ${tags} g on g.id = s.tag_id where s.user_id = ${caller} and g.name = ${tag}`);

/** Selects the meetings that the caller recorded: all that a personal key may change. */
export const ownedBy = ({ userId }: PersonalCaller): Scope => ({
  name: "owned",
  sources: [owned],
  values: { caller: userId },
});

/**
 * Selects meetings that the caller owns, that were shared with the caller, or that carry a tag shared with the caller.
 * With `tagName`: only meetings that carry a tag of that name which the caller owns or was given.
 */
export const visibleTo = ({ userId }: Pick<PersonalCaller, "userId">, tagName?: string): Scope =>
  tagName === undefined
    ? { name: "visible", sources: [owned, ...shares(sql`${caller}`)], values: { caller: userId } }
    : { name: "tagged", sources: [namedTag], values: { caller: userId, tag: tagName } };

/**
 * Selects meetings whose owner is a member of the caller's workspace at this moment. With an e-mail address, only those
 * of the member who has it.
 */
export const ownedByMembers = ({ workspaceId }: WorkspaceCaller, email?: string): Scope =>
  email === undefined
    ? { name: "workspace", sources: [byMembers], values: { caller: workspaceId } }
    : { name: "member", sources: [byMember], values: { caller: workspaceId, userEmail: email } };

/** Builds the condition that a column source puts on a row `alias` of meetings or tasks. */
export const whereColumn = (source: ColumnSource, alias: string): SQL => {
  const row = sql.raw(alias);
  const held = sql`${row}.${sql.raw(source.column)} = ${caller}`;
  return source.owner ? sql`${held} and ${row}.user_id = ${source.owner}` : held;
};

/** Tells the two kinds of source apart. */
export const isColumnSource = (source: Source): source is ColumnSource => "column" in source;

/** Builds what follows `from`, condition included, to select a linked source's rows `l`. */
export const buildLinksFromWhere = (source: LinkedSource): SQL =>
  sql`${source.throughTags ? sql`${source.throughTags} join ${source.links} on` : sql`${source.links} where`} ${source.where}`;

/** Builds the condition that the row of meetings with the alias `m` is shared with a user, directly or by a tag. */
export const isSharedWith = (user: SQL): SQL => buildScopeCondition({ sources: shares(user) });

/** Builds the condition that the row of meetings with the alias `m` is in the scope. */
export const buildScopeCondition = (scope: Pick<Scope, "sources">): SQL => {
  const conditions = scope.sources.map((source) =>
    isColumnSource(source)
      ? whereColumn(source, "m")
      : sql`exists (select from (select l.meeting_id from ${buildLinksFromWhere(source)}) l where l.meeting_id = m.id)`,
  );
  return sql`(${sql.join(conditions, sql` or `)})`;
};
