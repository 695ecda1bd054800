import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Manager } from "../../access/callers.js";
import { recordShareEvents, recordTagShareEvents } from "../../events/index.js";
import { ApiError, notFoundIfDeleted } from "../../lib/errors.js";
import { findMember, findUser, lockMembership, type Membership } from "../../workspaces/index.js";
import { requireMeetingOwner } from "../index.js";
import { requireTagOwner } from "../tags/index.js";

const { accessRequests, meetingShares, tagShares } = schema;

/**
 * Finds the member that a meeting or tag is shared with, by e-mail address.
 * @throws ApiError 404 for somebody outside the caller's workspace
 */
export const findReader = (db: Database, caller: Manager, email: string): Promise<{ userId: string }> =>
  caller.kind === "operator" ? findUser(db, email) : findMember(db, caller.workspaceId, { email });

/**
 * Shares a meeting with another member of its owner's workspace, until the owner ends the share or either leaves.
 * Grants the reader's request for access, if there is one. Repeating it is a no-op.
 * @throws ApiError 404 for an unknown meeting or user, 403 unless the caller owns it, 409 if they are in different
 * workspaces
 */
export async function shareMeeting(
  db: Database,
  caller: Manager,
  meetingId: string,
  withUserId: string,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      const { ownerId } = await requireMeetingOwner(tx, caller, meetingId);
      const reader = await requireSameWorkspace(tx, ownerId, withUserId);
      // Memberships are locked before meetings. Read the meeting again, because its start may have changed.
      const meeting = await requireMeetingOwner(tx, caller, meetingId, { lock: true });
      const shared = await tx
        .insert(meetingShares)
        .values({ ...meeting, userId: withUserId, workspaceId: reader.workspaceId })
        .onConflictDoNothing()
        .returning({ userId: meetingShares.userId });
      await tx
        .delete(accessRequests)
        .where(and(eq(accessRequests.meetingId, meetingId), eq(accessRequests.userId, withUserId)));
      if (shared.length > 0) await recordShareEvents(tx, meetingId, [withUserId]);
      await audit(tx, caller, "meeting.share", meetingId);
    })
    .catch(notFoundIfDeleted(MESSAGES.meetingNotFound));
}

/** Ends a meeting's share. @throws ApiError 404, 403 unless the caller owns the meeting */
export async function unshareMeeting(
  db: Database,
  caller: Manager,
  meetingId: string,
  withUserId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireMeetingOwner(tx, caller, meetingId);
    await tx
      .delete(meetingShares)
      .where(and(eq(meetingShares.meetingId, meetingId), eq(meetingShares.userId, withUserId)));
    await audit(tx, caller, "meeting.unshare", meetingId);
  });
}

/**
 * Shares a tag, and every meeting that has it, with another member of its owner's workspace. Repeating it is a no-op.
 * @throws ApiError 404 for an unknown user and unless the caller owns the tag, 409 if they are in different workspaces
 */
export async function shareTag(
  db: Database,
  caller: Manager,
  tagId: string,
  withUserId: string,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      const ownerId = await requireTagOwner(tx, caller, tagId);
      const reader = await requireSameWorkspace(tx, ownerId, withUserId);
      const shared = await tx
        .insert(tagShares)
        .values({ tagId, ownerId, userId: withUserId, workspaceId: reader.workspaceId })
        .onConflictDoNothing()
        .returning({ userId: tagShares.userId });
      if (shared.length > 0) await recordTagShareEvents(tx, tagId, withUserId);
      await audit(tx, caller, "tag.share", tagId);
    })
    .catch(notFoundIfDeleted(MESSAGES.tagNotFound));
}

/** Ends a tag's share. @throws ApiError 404 unless the caller owns the tag */
export async function unshareTag(
  db: Database,
  caller: Manager,
  tagId: string,
  withUserId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireTagOwner(tx, caller, tagId);
    await tx.delete(tagShares).where(and(eq(tagShares.tagId, tagId), eq(tagShares.userId, withUserId)));
    await audit(tx, caller, "tag.unshare", tagId);
  });
}

/**
 * Requires that owner and reader are two members of one workspace, and locks both memberships until the transaction
 * ends. Locks are taken in id order, so that two shares can't deadlock.
 * @returns the reader's membership
 * @throws ApiError 404 for an unknown user, 409 if they are the same person or in different workspaces
 */
async function requireSameWorkspace(tx: Database, ownerId: string, readerId: string): Promise<Membership> {
  if (ownerId === readerId) throw new ApiError("CONFLICT", MESSAGES.shareWithOther);
  const first = await lockMembership(tx, ownerId < readerId ? ownerId : readerId, "no key update");
  const second = await lockMembership(tx, ownerId < readerId ? readerId : ownerId, "no key update");
  if (first.workspaceId !== second.workspaceId) throw new ApiError("CONFLICT", MESSAGES.notInSameWorkspace);
  return first.userId === readerId ? first : second;
}
