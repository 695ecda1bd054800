import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, type SQL, sql } from "drizzle-orm";
import { ApiError } from "../lib/errors.js";
import type { Caller, UserCaller, WorkspaceCaller } from "./callers.js";

const { meetingShares, meetings, meetingTags, publicLinks, summaries, tags, tagShares, users, workspaces } =
  schema;

/**
 * The only place that decides access: every statement that reads meetings, or data that belongs to them, takes its rows
 * from a scope.
 */
export interface Scope {
  /**
   * Identifies the prepared statement. Scopes with the same name have the same SQL text; values that depend on the
   * caller go into `values`.
   */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly values: Readonly<Record<string, string>>;
}

/** A scope of meetings that the caller may change, not only read. Its sources are columns, which tasks have as well. */
export interface OwnedScope extends Scope {
  readonly sources: readonly ColumnSource[];
}

/** One way in which meetings reach a caller. */
export type Source = ColumnSource | LinkedSource;

/** A source matched by a column of the meeting's row. Tasks have the same column. */
interface ColumnSource {
  readonly column: "user_id" | "workspace_id";
  /** Restricts to the meetings of one owner. */
  readonly owner?: SQL;
}

/** Meetings that reach the caller through a table `l` of links with the meeting's id and start. */
interface LinkedSource {
  readonly links: SQL;
  readonly where: SQL;
  /** Set if meetings are linked through tags: a subquery `t` with one `tag_id` per row. */
  readonly throughTags?: SQL;
}

const caller = sql.placeholder("caller");
const tag = sql.placeholder("tag");
const userEmail = sql.placeholder("userEmail");

const owned: ColumnSource = { column: "user_id" };
const byMembers: ColumnSource = { column: "workspace_id" };
const byMember: ColumnSource = {
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
const ownedBy = ({ userId }: Pick<UserCaller, "userId">): OwnedScope => ({
  name: "owned",
  sources: [owned],
  values: { caller: userId },
});

/** Selects the meetings of others that were shared with the caller, directly or through a tag. */
const sharedWithCaller = ({ userId }: UserCaller): Scope => ({
  name: "shared",
  sources: shares(sql`${caller}`),
  values: { caller: userId },
});

/**
 * Selects meetings that the caller owns, or that were shared with them directly or through a tag. `tagName` restricts
 * to meetings with a tag of that name, owned by or shared with the caller.
 */
export const visibleTo = ({ userId }: Pick<UserCaller, "userId">, tagName?: string): Scope =>
  tagName === undefined
    ? { name: "visible", sources: [owned, ...shares(sql`${caller}`)], values: { caller: userId } }
    : { name: "tagged", sources: [namedTag], values: { caller: userId, tag: tagName } };

const byPublicLink: LinkedSource = {
  links: sql`${publicLinks} l join ${meetings} o on o.id = l.meeting_id and o.workspace_id = l.workspace_id
    join ${workspaces} w on w.id = l.workspace_id`,
  where: sql`l.hash = decode(${sql.placeholder("link")}, 'hex') and l.expires_at > now() and w.public_links
    and not exists (select from ${summaries} s where s.meeting_id = l.meeting_id and s.locked)`,
};

/**
 * Selects the one meeting that a public link shows: until the link ends, while the workspace allows links and the meeting's
 * summary is not locked.
 */
export const openedBy = (hash: Uint8Array): Scope => ({
  name: "linked",
  sources: [byPublicLink],
  values: { link: Buffer.from(hash).toString("hex") },
});

/** The `from` and `where` clauses of the link `l` of such a scope. */
export const fromPublicLink = (): SQL => buildLinksFromWhere(byPublicLink);

/** Selects the tags visible to a user: their own and those shared with them. The only access rule for tags. */
export const visibleTags = sql`
  (select id, name, false as shared, updated_at, changed_in as seen_in from ${tags} where user_id = ${caller}
  union all
  select t.id, t.name, true, t.updated_at, greatest(t.changed_in, s.created_in)
  from ${tagShares} s join ${tags} t on t.id = s.tag_id where s.user_id = ${caller})`;

/** Selects the visible meetings with a tag or, without one, only own or only shared ones. */
export const narrowedTo = (
  caller: UserCaller,
  { tag, whose }: { readonly tag?: string | undefined; readonly whose?: "mine" | "shared" | undefined },
): Scope => {
  if (tag !== undefined || whose === undefined) return visibleTo(caller, tag);
  return whose === "mine" ? ownedBy(caller) : sharedWithCaller(caller);
};

/**
 * Selects meetings whose owner is currently a member of the caller's workspace. An e-mail address restricts to that
 * member's meetings.
 */
export const ownedByMembers = (
  { workspaceId }: Pick<WorkspaceCaller, "workspaceId">,
  email?: string,
): OwnedScope =>
  email === undefined
    ? { name: "workspace", sources: [byMembers], values: { caller: workspaceId } }
    : { name: "member", sources: [byMember], values: { caller: workspaceId, userEmail: email } };

/** Selects the meetings that a caller can read: those visible to a user, or those of a workspace's members. */
export const readableBy = (caller: Caller): Scope =>
  caller.kind === "user" ? visibleTo(caller) : ownedByMembers(caller);

/** Selects the meetings that a caller can change: those that a user recorded, or those of a workspace's members. */
export const editableBy = (caller: Caller): OwnedScope =>
  caller.kind === "user" ? ownedBy(caller) : ownedByMembers(caller);

/** Returns why a caller can't change a meeting: `own` for a user. */
export const refusalOf = (caller: Caller, own: string): string =>
  caller.kind === "user" ? own : MESSAGES.notInWorkspace;

/**
 * Requires that a caller can edit a meeting, which is also the right to read its versions.
 * @throws ApiError 404 for an unknown meeting, 403 for one that they can't edit
 */
export async function requireEditable(db: Database, caller: Caller, meetingId: string): Promise<void> {
  const scope = editableBy(caller);
  const [meeting] = await db
    .select({ allowed: sql<boolean>`${buildOwnedCondition(scope, "meetings")}` })
    .from(meetings)
    .where(eq(meetings.id, meetingId))
    .prepare(`editable_${scope.name}`)
    .execute(scope.values);
  if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!meeting.allowed) throw new ApiError("FORBIDDEN", refusalOf(caller, MESSAGES.notYourMeetingToEdit));
}

/** Builds a column source's condition on a row `alias` of meetings or tasks. */
export const whereColumn = (source: ColumnSource, alias: string): SQL => {
  const row = sql.raw(alias);
  const held = sql`${row}.${sql.raw(source.column)} = ${caller}`;
  return source.owner ? sql`${held} and ${row}.user_id = ${source.owner}` : held;
};

/** Builds the condition that a row `alias` of meetings or tasks is in an owned scope. */
export const buildOwnedCondition = ({ sources }: OwnedScope, alias: string): SQL => {
  const conditions = sources.map((source) => whereColumn(source, alias));
  return sql`(${sql.join(conditions, sql` or `)})`;
};

/** Tells the two kinds of source apart. */
export const isColumnSource = (source: Source): source is ColumnSource => "column" in source;

/** Builds the `from` and `where` clauses that select a linked source's rows `l`. */
export const buildLinksFromWhere = (source: LinkedSource): SQL =>
  sql`${source.throughTags ? sql`${source.throughTags} join ${source.links} on` : sql`${source.links} where`} ${source.where}`;

/**
 * Selects the IDs of a scope's meetings, from each source by its index: for statements that start from all of them. A
 * condition on each meeting of the workspace costs more.
 */
export const selectMeetingIds = ({ sources }: Pick<Scope, "sources">): SQL =>
  sql.join(
    sources.map((source) =>
      isColumnSource(source)
        ? sql`select m.id from ${meetings} m where ${whereColumn(source, "m")}`
        : sql`select l.meeting_id from ${buildLinksFromWhere(source)}`,
    ),
    sql` union `,
  );

/** Builds the condition that meeting `m` is shared with a user, directly or by a tag. */
export const isSharedWith = (user: SQL): SQL => buildScopeCondition({ sources: shares(user) });

/** The condition that the row of meetings with the alias `m` is shared with somebody, directly or by a tag. */
export const isSharedWithAnyone = sql`(
  exists (select from ${meetingShares} l where l.meeting_id = m.id)
  or exists (select from ${meetingTags} l join ${tagShares} s on s.tag_id = l.tag_id where l.meeting_id = m.id))`;

/** Builds the condition that meeting `m` is in the scope. */
export const buildScopeCondition = (scope: Pick<Scope, "sources">): SQL => {
  const conditions = scope.sources.map((source) =>
    isColumnSource(source)
      ? whereColumn(source, "m")
      : sql`exists (select from (select l.meeting_id from ${buildLinksFromWhere(source)}) l where l.meeting_id = m.id)`,
  );
  return sql`(${sql.join(conditions, sql` or `)})`;
};
