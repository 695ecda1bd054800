import { MESSAGES, type MeetingHold } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import { actorOf, type Manager } from "../../access/callers.js";
import { ApiError, notFoundIfDeleted } from "../../lib/errors.js";
import { isAdmin } from "../../workspaces/index.js";

const { meetingHolds, meetings } = schema;

/** Returns whether a meeting is on hold. @throws ApiError 404 unless the caller is its owner or an admin */
export async function getHold(db: Database, caller: Manager, meetingId: string): Promise<MeetingHold> {
  const rights = await requireHoldRights(db, caller, meetingId);
  const hold = await findHold(db, meetingId);
  return { held: hold !== undefined, mayRelease: mayRelease(rights, caller, hold) };
}

/**
 * Exempts a meeting from retention until it is released; no-op if it is on hold. An admin's hold replaces the owner's,
 * who then can't release it.
 * @throws ApiError 404 unless the caller is its owner or an admin
 */
export async function holdMeeting(db: Database, caller: Manager, meetingId: string): Promise<void> {
  await db
    .transaction(async (tx) => {
      const rights = await requireHoldRights(tx, caller, meetingId);
      const held = await tx
        .insert(meetingHolds)
        .values({ meetingId, actor: actorOf(caller) })
        .onConflictDoUpdate({
          target: meetingHolds.meetingId,
          set: { actor: sql`excluded.actor`, at: sql`now()` },
          setWhere: sql`${rights.isAdmin} and ${meetingHolds.actor} = (select m.user_id from ${meetings} m where m.id = ${meetingId}) and ${meetingHolds.actor} <> excluded.actor`,
        })
        .returning({ meetingId: meetingHolds.meetingId });
      if (held.length > 0) await audit(tx, caller, "meeting.hold", meetingId);
    })
    .catch(notFoundIfDeleted(MESSAGES.meetingNotFound));
}

/**
 * Ends a meeting's hold; no-op without one.
 * @throws ApiError 404 unless the caller is its owner or an admin, 403 for an owner whose meeting an admin holds
 */
export async function releaseMeeting(db: Database, caller: Manager, meetingId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const rights = await requireHoldRights(tx, caller, meetingId);
    const hold = await findHold(tx, meetingId, true);
    if (!hold) return;
    if (!mayRelease(rights, caller, hold)) throw new ApiError("FORBIDDEN", MESSAGES.heldByAdmin);
    await tx.delete(meetingHolds).where(eq(meetingHolds.meetingId, meetingId));
    await audit(tx, caller, "meeting.release", meetingId);
  });
}

const findHold = async (db: Database, meetingId: string, lock = false): Promise<string | undefined> => {
  const selected = db
    .select({ actor: meetingHolds.actor })
    .from(meetingHolds)
    .where(eq(meetingHolds.meetingId, meetingId));
  const [hold] = await (lock ? selected.for("update") : selected);
  return hold?.actor;
};

const mayRelease = (rights: Rights, caller: Manager, heldBy: string | undefined): boolean =>
  rights.isAdmin || heldBy === undefined || heldBy === actorOf(caller);

interface Rights {
  readonly isAdmin: boolean;
}

/** Requires the owner of a meeting, an admin of their workspace or the operator. @throws ApiError 404 */
async function requireHoldRights(db: Database, caller: Manager, meetingId: string): Promise<Rights> {
  const [meeting] = await db
    .select({ ownerId: meetings.userId, workspaceId: meetings.workspaceId })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  const rights = { isAdmin: await isAdmin(db, caller, meeting.workspaceId) };
  if (!rights.isAdmin && actorOf(caller) !== meeting.ownerId)
    throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  return rights;
}
