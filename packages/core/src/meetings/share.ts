import { MESSAGES } from "@minutes/contract";
import { type Database, isOrphan, schema } from "@minutes/db";
import { and, asc, eq } from "drizzle-orm";
import { type Actor, actorName } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { lockMembership } from "../workspaces/index.js";

const { meetings, meetingShares, users } = schema;

/**
 * Shows a meeting to another member of its owner's workspace, until the owner takes it back or either leaves.
 * Sharing twice changes nothing.
 * @throws ApiError 404 for an unknown meeting or user, 403 unless the actor owns it, 409 when they aren't in one workspace.
 */
export async function shareMeeting(
  db: Database,
  actor: Actor,
  meetingId: string,
  withUserId: string,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      const meeting = await ownMeeting(tx, actor, meetingId);
      const reader = await membershipBeside(tx, meeting.ownerId, withUserId);
      await tx
        .insert(meetingShares)
        .values({ ...meeting, userId: withUserId, workspaceId: reader.workspaceId })
        .onConflictDoNothing();
      await audit(tx, actor, "meeting.share", meetingId);
    })
    .catch(goneMeanwhile(MESSAGES.meetingNotFound));
}

/** Takes a share back; effective with this transaction. @throws ApiError as `shareMeeting` */
export async function unshareMeeting(
  db: Database,
  actor: Actor,
  meetingId: string,
  withUserId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await ownMeeting(tx, actor, meetingId);
    await tx
      .delete(meetingShares)
      .where(and(eq(meetingShares.meetingId, meetingId), eq(meetingShares.userId, withUserId)));
    await audit(tx, actor, "meeting.unshare", meetingId);
  });
}

/** The members to whom a meeting is shown directly. @throws ApiError 404, 403 unless the actor owns it */
export async function listMeetingShares(db: Database, actor: Actor, meetingId: string) {
  await ownMeeting(db, actor, meetingId);
  return db
    .select({ userId: users.id, email: users.email, name: users.name })
    .from(meetingShares)
    .innerJoin(users, eq(users.id, meetingShares.userId))
    .where(eq(meetingShares.meetingId, meetingId))
    .orderBy(asc(users.email));
}

/** Answers a link to what was deleted after it had been looked up as a moment later: with 404. */
export const goneMeanwhile =
  (message: string) =>
  (error: unknown): never => {
    throw isOrphan(error) ? new ApiError("NOT_FOUND", message) : error;
  };

/** A meeting that only its owner shares or tags. */
export async function ownMeeting(tx: Database, actor: Actor, meetingId: string) {
  const [meeting] = await tx
    .select({ meetingId: meetings.id, ownerId: meetings.userId, startTime: meetings.startTime })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (actor.kind === "user" && actorName(actor) !== meeting.ownerId) {
    throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
  }
  return meeting;
}

/**
 * The reader's membership when owner and reader are two members of one workspace; both stay there until the
 * transaction ends. Locked in order of their ids, so that two shares can't wait for each other.
 */
export async function membershipBeside(tx: Database, ownerId: string, readerId: string) {
  if (ownerId === readerId) throw new ApiError("CONFLICT", MESSAGES.shareWithOther);
  const first = await lockMembership(tx, ownerId < readerId ? ownerId : readerId);
  const second = await lockMembership(tx, ownerId < readerId ? readerId : ownerId);
  if (first.workspaceId !== second.workspaceId) throw new ApiError("CONFLICT", MESSAGES.notInSameWorkspace);
  return first.userId === readerId ? first : second;
}
