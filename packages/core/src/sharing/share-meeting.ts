import { MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { and, asc, eq, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { notFoundIfDeleted } from "../errors.js";
import { recordShareEvents } from "../events/index.js";
import { requireMeetingOwner } from "../meetings/index.js";
import { requireSameWorkspace } from "./same-workspace.js";

const { apiKeys, meetingShares, meetingTags, members, tags, tagShares, users } = schema;

/**
 * Shares a meeting with another member of its owner's workspace, until the owner ends the share or either leaves.
 * Repeating it is a no-op.
 * @throws ApiError 404 for an unknown meeting or user, 403 unless the actor owns it, 409 if they are in different
 * workspaces
 */
export async function shareMeeting(
  db: Database,
  actor: Actor,
  meetingId: string,
  withUserId: string,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      const { ownerId } = await requireMeetingOwner(tx, actor, meetingId);
      const reader = await requireSameWorkspace(tx, ownerId, withUserId);
      // Memberships are locked before meetings. Read the meeting again, because its start may have changed.
      const meeting = await requireMeetingOwner(tx, actor, meetingId, { lock: true });
      const shared = await tx
        .insert(meetingShares)
        .values({ ...meeting, userId: withUserId, workspaceId: reader.workspaceId })
        .onConflictDoNothing()
        .returning({ userId: meetingShares.userId });
      if (shared.length > 0) await recordShareEvents(tx, meetingId, [withUserId]);
      await audit(tx, actor, "meeting.share", meetingId);
    })
    .catch(notFoundIfDeleted(MESSAGES.meetingNotFound));
}

/** Ends a meeting's share. @throws ApiError 404, 403 unless the actor owns the meeting */
export async function unshareMeeting(
  db: Database,
  actor: Actor,
  meetingId: string,
  withUserId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireMeetingOwner(tx, actor, meetingId);
    await tx
      .delete(meetingShares)
      .where(and(eq(meetingShares.meetingId, meetingId), eq(meetingShares.userId, withUserId)));
    await audit(tx, actor, "meeting.unshare", meetingId);
  });
}

/** Lists the members a meeting is shared with directly. @throws ApiError 404, 403 unless the actor owns it */
export async function listMeetingShares(db: Database, actor: Actor, meetingId: string) {
  await requireMeetingOwner(db, actor, meetingId);
  return db
    .select({ userId: users.id, email: users.email, name: users.name })
    .from(meetingShares)
    .innerJoin(users, eq(users.id, meetingShares.userId))
    .where(eq(meetingShares.meetingId, meetingId))
    .orderBy(asc(users.email));
}

/** Why a member can read a meeting: it is shared with them directly, or through these tags of its owner's. */
interface Reader {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly direct: boolean;
  readonly tags: readonly string[];
}

/** Everyone but the owner who can read a meeting. */
interface Readers {
  readonly readers: readonly Reader[];
  /** Number of the workspace's API keys, which read all meetings of the workspace. */
  readonly workspaceKeys: number;
}

/**
 * Lists who can read a meeting and why, for its owner.
 * @see docs/decisions/0166-further-events.md
 * @throws ApiError 404, 403 unless the actor owns it
 */
export async function listMeetingReaders(db: Database, actor: Actor, meetingId: string): Promise<Readers> {
  const { ownerId } = await requireMeetingOwner(db, actor, meetingId);
  const readers = await runNamedStatement<Reader>(db, "meeting_readers", selectReaders, { meetingId });
  const [row] = await runNamedStatement<{ count: number }>(db, "workspace_keys_of", selectWorkspaceKeys, {
    ownerId,
  });
  return { readers, workspaceKeys: row?.count ?? 0 };
}

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
