import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { newId } from "../ids.js";
import { goneMeanwhile, membershipBeside, ownMeeting } from "../meetings/index.js";

const { meetingTags, tags, tagShares, users } = schema;

/** Colors given in turn to tags that come without one. */
const COLORS = ["#2563EB", "#16A34A", "#D97706", "#DB2777", "#7C3AED", "#0891B2", "#DC2626", "#65A30D"];

/** A tag by name and owner, made if it is new. A name has one tag per owner; its color is what it was made with. */
export async function ensureTag(
  tx: Database,
  userId: string,
  name: string,
  color?: string,
): Promise<{ id: string }> {
  const taken = sql<string>`(array[${sql.join(
    COLORS.map((value) => sql`${value}`),
    sql`, `,
  )}])[
    1 + (select count(*) from ${tags} where user_id = ${userId})::int % ${COLORS.length}]`;
  const [tag] = await tx
    .insert(tags)
    .values({ id: newId("tag"), userId, name, color: color ?? taken })
    // An update that changes nothing, so that the row comes back.
    .onConflictDoUpdate({ target: [tags.userId, tags.name], set: { name } })
    .returning({ id: tags.id });
  if (!tag) throw new Error("A tag was neither made nor found.");
  return tag;
}

/** Puts a tag of the owner's on a meeting; its readers by that tag see the meeting at once. */
export async function tagMeeting(
  db: Database,
  actor: Actor,
  meetingId: string,
  name: string,
  color?: string,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      const meeting = await ownMeeting(tx, actor, meetingId);
      const tag = await ensureTag(tx, meeting.ownerId, name, color);
      await tx
        .insert(meetingTags)
        .values({ ...meeting, tagId: tag.id })
        .onConflictDoNothing();
      await audit(tx, actor, "meeting.tag", meetingId);
    })
    .catch(goneMeanwhile(MESSAGES.meetingNotFound));
}

/** Takes a tag off a meeting. */
export async function untagMeeting(
  db: Database,
  actor: Actor,
  meetingId: string,
  tagId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await ownMeeting(tx, actor, meetingId);
    await tx
      .delete(meetingTags)
      .where(and(eq(meetingTags.meetingId, meetingId), eq(meetingTags.tagId, tagId)));
    await audit(tx, actor, "meeting.untag", meetingId);
  });
}

/** Shows a tag, and every meeting under it, to another member of its owner's workspace. */
export async function shareTag(db: Database, actor: Actor, tagId: string, withUserId: string): Promise<void> {
  await db
    .transaction(async (tx) => {
      const ownerId = await ownTag(tx, actor, tagId);
      const reader = await membershipBeside(tx, ownerId, withUserId);
      await tx
        .insert(tagShares)
        .values({ tagId, ownerId, userId: withUserId, workspaceId: reader.workspaceId })
        .onConflictDoNothing();
      await audit(tx, actor, "tag.share", tagId);
    })
    .catch(goneMeanwhile(MESSAGES.tagNotFound));
}

/** Takes a tag's share back; effective with this transaction. */
export async function unshareTag(
  db: Database,
  actor: Actor,
  tagId: string,
  withUserId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await ownTag(tx, actor, tagId);
    await tx.delete(tagShares).where(and(eq(tagShares.tagId, tagId), eq(tagShares.userId, withUserId)));
    await audit(tx, actor, "tag.unshare", tagId);
  });
}

/** Deletes a tag; it leaves its meetings and ends its shares. */
export async function deleteTag(db: Database, actor: Actor, tagId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await ownTag(tx, actor, tagId);
    await tx.delete(tags).where(eq(tags.id, tagId));
    await audit(tx, actor, "tag.delete", tagId);
  });
}

/** A user's own tags, by name, each with the number of its meetings and the members to whom it is shown. */
export async function listOwnTags(db: Database, userId: string) {
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
  return own.map((tag) => ({
    ...tag,
    sharedWith: shares.filter(({ tagId }) => tagId === tag.id).map(({ tagId, ...reader }) => reader),
  }));
}

/** The owner of a tag. @throws ApiError 404, also for another's tag: of it nothing is told, not even that it is there. */
async function ownTag(tx: Database, actor: Actor, tagId: string): Promise<string> {
  const [tag] = await tx.select({ ownerId: tags.userId }).from(tags).where(eq(tags.id, tagId));
  if (!tag || (actor.kind === "user" && actor.userId !== tag.ownerId))
    throw new ApiError("NOT_FOUND", MESSAGES.tagNotFound);
  return tag.ownerId;
}
