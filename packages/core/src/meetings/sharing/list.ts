import type { MeetingReaders, ShareList } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { asc, eq, sql } from "drizzle-orm";
import type { Manager, OperatorCaller } from "../../access/callers.js";
import { findUserByEmailOrId } from "../../workspaces/index.js";
import { requireMeetingOwner } from "../index.js";
import { requireTagOwner } from "../tags/index.js";

const { apiKeys, meetings, meetingShares, meetingTags, members, tags, tagShares, users } = schema;

/** Lists the members a meeting is shared with directly. @throws ApiError 404, 403 unless the caller owns it */
export async function listMeetingShares(db: Database, caller: Manager, meetingId: string) {
  await requireMeetingOwner(db, caller, meetingId);
  const shares = await db
    .select({ userId: users.id, email: users.email, name: users.name })
    .from(meetingShares)
    .innerJoin(users, eq(users.id, meetingShares.userId))
    .where(eq(meetingShares.meetingId, meetingId))
    .orderBy(asc(users.email));
  return { shares };
}

/**
 * Lists who can read a meeting and why, for its owner.
 * @see docs/decisions/0166-further-events.md
 * @throws ApiError 404, 403 unless the caller owns it
 */
export async function listMeetingReaders(
  db: Database,
  caller: Manager,
  meetingId: string,
): Promise<MeetingReaders> {
  const { ownerId } = await requireMeetingOwner(db, caller, meetingId);
  const readers = await listReaders(db, meetingId);
  const [row] = await runNamedStatement<{ count: number }>(db, "workspace_keys_of", selectWorkspaceKeys, {
    ownerId,
  });
  return { readers, workspaceKeys: row?.count ?? 0 };
}

/** Lists everyone but the owner who can read a meeting, and why. */
export const listReaders = (db: Database, meetingId: string) =>
  runNamedStatement<MeetingReaders["readers"][number]>(db, "meeting_readers", selectReaders, { meetingId });

const selectReaders = () => sql`
  select u.id as "userId", u.name, u.email, bool_or(r.tag is null) as direct,
    coalesce(json_agg(r.tag order by r.tag) filter (where r.tag is not null), '[]') as tags
  from (
    select s.user_id, null as tag from ${meetingShares} s where s.meeting_id = ${sql.placeholder("meetingId")}
    union
    select s.user_id, g.name from ${meetingTags} b join ${tags} g on g.id = b.tag_id
    join ${tagShares} s on s.tag_id = g.id where b.meeting_id = ${sql.placeholder("meetingId")}
  ) r join ${users} u on u.id = r.user_id
  group by u.id order by u.email`;

const selectWorkspaceKeys = () => sql`
  select count(*)::int as count from ${members} m join ${apiKeys} k on k.workspace_id = m.workspace_id
  where m.user_id = ${sql.placeholder("ownerId")} and k.kind = 'workspace' and k.revoked_at is null
    and k.disabled_at is null and coalesce(k.expires_at > now(), true)`;

/**
 * Lists the direct shares of a meeting or tag, or of everything a user owns: tags first, then meetings by start.
 * @param of the ID of a meeting or tag, or a user by e-mail address or ID
 * @throws ApiError 404 for an unknown object or user
 */
export async function listShares(db: Database, caller: OperatorCaller, of: string): Promise<ShareList> {
  const { id, userId } = await findShared(db, caller, of);
  const ofTags = await db
    .select({ id: tags.id, name: tags.name, with: users.email })
    .from(tagShares)
    .innerJoin(tags, eq(tags.id, tagShares.tagId))
    .innerJoin(users, eq(users.id, tagShares.userId))
    .where(userId === null ? eq(tagShares.tagId, id) : eq(tagShares.ownerId, userId))
    .orderBy(asc(tags.name), asc(users.email));
  const ofMeetings = await db
    .select({ id: meetings.id, name: meetings.title, with: users.email })
    .from(meetingShares)
    .innerJoin(meetings, eq(meetings.id, meetingShares.meetingId))
    .innerJoin(users, eq(users.id, meetingShares.userId))
    .where(userId === null ? eq(meetingShares.meetingId, id) : eq(meetingShares.ownerId, userId))
    .orderBy(asc(meetingShares.startTime), asc(users.email));
  return [...ofTags, ...ofMeetings];
}

async function findShared(db: Database, caller: OperatorCaller, of: string) {
  if (of.includes("@") || of.startsWith("usr_"))
    return { id: of, userId: (await findUserByEmailOrId(db, of)).userId };
  await (of.startsWith("tag_") ? requireTagOwner : requireMeetingOwner)(db, caller, of);
  return { id: of, userId: null };
}
