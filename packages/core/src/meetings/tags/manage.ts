import { MESSAGES, type NewTag, type OwnTag } from "@minutes/contract";
import { type Database, isUniqueViolation, schema, writeArray } from "@minutes/db";
import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Manager, UserCaller } from "../../access/callers.js";
import { recordTagEvents, recordUpdateEvents } from "../../events/index.js";
import { ApiError, notFoundIfDeleted } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { requireMeetingOwner } from "../index.js";

const { meetings, meetingTags, tags, tagShares, users } = schema;

/** Default colors of new tags, in rotation. */
const COLORS = ["#2563EB", "#16A34A", "#D97706", "#DB2777", "#7C3AED", "#0891B2", "#DC2626", "#65A30D"];

/**
 * Returns an owner's tag by name, or creates it; it stays until the transaction ends. An existing tag keeps its color.
 * @returns the tag with its color
 */
export async function ensureTag(
  tx: Database,
  userId: string,
  name: string,
  color?: string,
): Promise<{ id: string; color: string }> {
  const [known] = await tx
    .select({ id: tags.id, color: tags.color })
    .from(tags)
    .where(and(eq(tags.userId, userId), eq(tags.name, name)))
    .for("key share");
  if (known) return known;
  const taken = sql<string>`(array[${sql.join(
    COLORS.map((value) => sql`${value}`),
    sql`, `,
  )}])[
    1 + (select count(*) from ${tags} where user_id = ${userId})::int % ${COLORS.length}]`;
  const [tag] = await tx
    .insert(tags)
    .values({ id: generateId("tag"), userId, name, color: color ?? taken })
    // A no-op update returns the row.
    .onConflictDoUpdate({ target: [tags.userId, tags.name], set: { name } })
    .returning({ id: tags.id, color: tags.color });
  if (!tag) throw new Error("A tag was neither made nor found.");
  return tag;
}

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

/** Changes a tag's name on all its meetings. @throws ApiError 404 unless the caller owns it, 409 if the owner has the name */
export async function renameTag(db: Database, caller: Manager, tagId: string, name: string): Promise<void> {
  await db.transaction(async (tx) => {
    await requireTagOwner(tx, caller, tagId);
    const tagged = await lockMeetings(
      tx,
      sql`${meetings.id} in (select b.meeting_id from ${meetingTags} b where b.tag_id = ${tagId})`,
    );
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

/** Deletes a tag, removes it from its meetings and ends its shares. @throws ApiError 404 unless the caller owns it */
export async function deleteTag(db: Database, caller: Manager, tagId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await requireTagOwner(tx, caller, tagId);
    await lockMeetings(
      tx,
      sql`${meetings.id} in (select b.meeting_id from ${meetingTags} b where b.tag_id = ${tagId})`,
    );
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

/** Locks meetings whose tags change, in id order, so that it can't deadlock with deletions. */
const lockMeetings = (tx: Database, which: SQL) =>
  tx.select({ id: meetings.id }).from(meetings).where(which).orderBy(asc(meetings.id)).for("no key update");

/** Lists a user's own tags by name, each with its number of meetings and the members it is shared with. */
export async function listOwnTags(
  db: Database,
  { userId }: Pick<UserCaller, "userId">,
): Promise<{ tags: OwnTag[] }> {
  const own = await db
    .select({ id: tags.id, name: tags.name, color: tags.color, meetings: count(meetingTags.meetingId) })
    .from(tags)
    .leftJoin(meetingTags, eq(meetingTags.tagId, tags.id))
    .where(eq(tags.userId, userId))
    .groupBy(tags.id)
    .orderBy(sql`${tags.name} collate "C"`);
  const shares = await db
    .select({ tagId: tagShares.tagId, userId: users.id, email: users.email, name: users.name })
    .from(tagShares)
    .innerJoin(users, eq(users.id, tagShares.userId))
    .where(eq(tagShares.ownerId, userId))
    .orderBy(asc(users.email));
  return {
    tags: own.map((tag) => ({
      ...tag,
      sharedWith: shares.filter(({ tagId }) => tagId === tag.id).map(({ tagId, ...reader }) => reader),
    })),
  };
}

/** Lists the shared tags of meetings by name, each with the names of the members it is shared with. */
export async function listTagReaders(db: Database, meetingIds: readonly string[]) {
  if (meetingIds.length === 0) return [];
  return db
    .select({ tag: tags.name, readers: sql<string[]>`json_agg(distinct ${users.name})` })
    .from(tags)
    .innerJoin(tagShares, eq(tagShares.tagId, tags.id))
    .innerJoin(users, eq(users.id, tagShares.userId))
    .where(
      sql`${tags.id} in (select l.tag_id from ${meetingTags} l where l.meeting_id = any(${writeArray(meetingIds)}::text::text[]))`,
    )
    .groupBy(tags.id)
    .orderBy(sql`${tags.name} collate "C"`);
}

/** Returns one tag as `listOwnTags` does, for its owner and the operator. @throws ApiError 404 */
export async function getTag(db: Database, caller: Manager, tagId: string): Promise<OwnTag> {
  const { tags } = await listOwnTags(db, { userId: await requireTagOwner(db, caller, tagId) });
  const tag = tags.find(({ id }) => id === tagId);
  if (!tag) throw new ApiError("NOT_FOUND", MESSAGES.tagNotFound);
  return tag;
}

/**
 * Requires that the caller is the tag's owner or the operator.
 * @returns the owner's id
 * @throws ApiError 404 for an unknown tag and for another user's tag
 */
export async function requireTagOwner(tx: Database, caller: Manager, tagId: string): Promise<string> {
  const [tag] = await tx.select({ ownerId: tags.userId }).from(tags).where(eq(tags.id, tagId));
  if (!tag || (caller.kind === "user" && caller.userId !== tag.ownerId))
    throw new ApiError("NOT_FOUND", MESSAGES.tagNotFound);
  return tag.ownerId;
}
