import { MESSAGES, type NewTag, ruledTag } from "@minutes/contract";
import { type Database, isUniqueViolation, schema } from "@minutes/db";
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Manager, UserCaller } from "../../access/callers.js";
import { recordTagEvents, recordUpdateEvents } from "../../events/index.js";
import { ApiError, notFoundIfDeleted } from "../../lib/errors.js";
import { ensureTag, requireMeetingOwner } from "../index.js";
import { requireTagOwner } from "./owner.js";

const { meetings, meetingTags, members, retentionRules, tags } = schema;

/**
 * Adds the owner's tag to a meeting. Members who see the tag can then see the meeting.
 * @throws ApiError 404 for an unknown meeting, 403 unless the caller owns it
 */
export async function tagMeeting(
  db: Database,
  caller: Manager,
  meetingId: string,
  name: string,
  color?: string,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      const meeting = await requireMeetingOwner(tx, caller, meetingId, { lock: true });
      const tag = await ensureTag(tx, meeting.ownerId, name, color);
      const tagged = await tx
        .insert(meetingTags)
        .values({ ...meeting, tagId: tag.id })
        .onConflictDoNothing()
        .returning({ tagId: meetingTags.tagId });
      if (tagged.length > 0) await recordTagEvents(tx, meetingId, tag.id);
      await audit(tx, caller, "meeting.tag", meetingId);
    })
    .catch(notFoundIfDeleted(MESSAGES.meetingNotFound));
}

/** Removes a tag from a meeting. @throws ApiError 404 for an unknown meeting, 403 unless the caller owns it */
export async function untagMeeting(
  db: Database,
  caller: Manager,
  meetingId: string,
  tagId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireMeetingOwner(tx, caller, meetingId);
    await lockMeetings(tx, eq(meetings.id, meetingId));
    const untagged = await tx
      .delete(meetingTags)
      .where(and(eq(meetingTags.meetingId, meetingId), eq(meetingTags.tagId, tagId)))
      .returning({ meetingId: meetingTags.meetingId });
    if (untagged.length > 0) await recordUpdateEvents(tx, [meetingId]);
    await audit(tx, caller, "meeting.untag", meetingId);
  });
}

/** Creates a tag of the caller's. @throws ApiError 409 if they have the name */
export const createTag = (
  db: Database,
  caller: UserCaller,
  { name, color }: { name: string; color?: string | undefined },
): Promise<NewTag> =>
  db.transaction(async (tx) => {
    const { userId } = caller;
    const [taken] = await tx
      .select({ id: tags.id })
      .from(tags)
      .where(and(eq(tags.userId, userId), eq(tags.name, name)));
    if (taken) throw new ApiError("CONFLICT", MESSAGES.tagNameTaken);
    const tag = await ensureTag(tx, userId, name, color);
    await audit(tx, caller, "tag.create", tag.id);
    return { ...tag, name };
  });

/**
 * Changes a tag's name on all its meetings.
 * @throws ApiError 404 unless the caller owns it, 409 if the owner has the name, or if a retention rule has it or the new one
 */
export async function renameTag(db: Database, caller: Manager, tagId: string, name: string): Promise<void> {
  await db.transaction(async (tx) => {
    await requireTagOwner(tx, caller, tagId);
    const tagged = await lockMeetings(
      tx,
      sql`${meetings.id} in (select b.meeting_id from ${meetingTags} b where b.tag_id = ${tagId})`,
    );
    await requireNoRule(tx, tagId, tagged.length, name);
    await tx
      .update(tags)
      .set({ name })
      .where(eq(tags.id, tagId))
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? new ApiError("CONFLICT", MESSAGES.tagNameTaken) : error;
      });
    await recordUpdateEvents(
      tx,
      tagged.map(({ id }) => id),
    );
    await audit(tx, caller, "tag.rename", tagId);
  });
}

/**
 * Deletes a tag, removes it from its meetings and ends its shares.
 * @throws ApiError 404 unless the caller owns it, 409 if a retention rule names it
 */
export async function deleteTag(db: Database, caller: Manager, tagId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await requireTagOwner(tx, caller, tagId);
    const locked = await lockMeetings(
      tx,
      sql`${meetings.id} in (select b.meeting_id from ${meetingTags} b where b.tag_id = ${tagId})`,
    );
    await requireNoRule(tx, tagId, locked.length);
    const tagged = await tx
      .delete(meetingTags)
      .where(eq(meetingTags.tagId, tagId))
      .returning({ meetingId: meetingTags.meetingId });
    await tx.delete(tags).where(eq(tags.id, tagId));
    await recordUpdateEvents(
      tx,
      tagged.map(({ meetingId }) => meetingId),
    );
    await audit(tx, caller, "tag.delete", tagId);
  });
}

/**
 * Requires that no retention rule of the owner's workspace names a tag that meetings have, or its new name: one call would
 * change when all of them are deleted.
 * @throws ApiError 409
 * @see docs/decisions/0394-tags-of-retention-rules.md
 */
async function requireNoRule(tx: Database, tagId: string, tagged: number, newName?: string): Promise<void> {
  if (tagged === 0) return;
  const [tag] = await tx
    .select({ name: tags.name, workspaceId: members.workspaceId })
    .from(tags)
    .innerJoin(members, eq(members.userId, tags.userId))
    .where(eq(tags.id, tagId));
  if (!tag || tag.name === newName) return;
  const names = newName === undefined ? [tag.name] : [tag.name, newName];
  const isNamed = and(eq(retentionRules.workspaceId, tag.workspaceId), inArray(retentionRules.tag, names));
  if ((await tx.$count(retentionRules, isNamed)) > 0) throw new ApiError("CONFLICT", ruledTag(tagged));
}

/** Locks meetings whose tags change, in id order, so that it can't deadlock with deletions. */
const lockMeetings = (tx: Database, which: SQL) =>
  tx.select({ id: meetings.id }).from(meetings).where(which).orderBy(asc(meetings.id)).for("no key update");
