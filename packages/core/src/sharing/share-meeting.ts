import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { notFoundIfDeleted } from "../errors.js";
import { announceShares } from "../events/index.js";
import { requireMeetingOwner } from "../meetings/index.js";
import { requireSameWorkspace } from "./same-workspace.js";

const { meetingShares, users } = schema;

/**
 * Shares a meeting with another member of its owner's workspace, until the owner ends the share or either leaves. Sharing
 * again changes nothing.
 * @throws ApiError 404 for an unknown meeting or user, 403 unless the actor owns it, 409 when they are in different workspaces
 */
export async function shareMeeting(
  db: Database,
  actor: Actor,
  meetingId: string,
  withUserId: string,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      const meeting = await requireMeetingOwner(tx, actor, meetingId);
      const reader = await requireSameWorkspace(tx, meeting.ownerId, withUserId);
      const shared = await tx
        .insert(meetingShares)
        .values({ ...meeting, userId: withUserId, workspaceId: reader.workspaceId })
        .onConflictDoNothing()
        .returning({ userId: meetingShares.userId });
      if (shared.length > 0) await announceShares(tx, meetingId, [withUserId]);
      await audit(tx, actor, "meeting.share", meetingId);
    })
    .catch(notFoundIfDeleted(MESSAGES.meetingNotFound));
}

/** Ends a meeting's share with this transaction. @throws ApiError 404, 403 unless the actor owns the meeting */
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

/** Lists the members with whom a meeting is shared directly. @throws ApiError 404, 403 unless the actor owns it */
export async function listMeetingShares(db: Database, actor: Actor, meetingId: string) {
  await requireMeetingOwner(db, actor, meetingId);
  return db
    .select({ userId: users.id, email: users.email, name: users.name })
    .from(meetingShares)
    .innerJoin(users, eq(users.id, meetingShares.userId))
    .where(eq(meetingShares.meetingId, meetingId))
    .orderBy(asc(users.email));
}
