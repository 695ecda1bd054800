import { MESSAGES, type OwnTag, type Tag, type TagList } from "@minutes/contract";
import { type Database, runNamedStatement, schema, writeArray } from "@minutes/db";
import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import { type Manager, type UserCaller, visibleTags } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { requireTagOwner } from "./owner.js";

const { meetingTags, tags, tagShares, users } = schema;

/** Lists the caller's own tags and those shared with the caller, by name. @see docs/specification.md#tag */
export async function listTags(db: Database, { userId }: UserCaller): Promise<TagList> {
  return { tags: await runNamedStatement<Tag>(db, "tags_of_caller", selectTags, { caller: userId }) };
}

const selectTags = () => sql`
  select id, name, shared from ${visibleTags} visible order by name collate "C", id`;

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

/** Lists the members that a user's tags with these names are shared with, by e-mail address. */
export const listReadersOfTags = (db: Database, userId: string, names: readonly string[]) =>
  db
    .select({ email: users.email, tags: sql<string[]>`json_agg(${tags.name} order by ${tags.name})` })
    .from(tags)
    .innerJoin(tagShares, eq(tagShares.tagId, tags.id))
    .innerJoin(users, eq(users.id, tagShares.userId))
    .where(and(eq(tags.userId, userId), inArray(tags.name, [...names])))
    .groupBy(users.id)
    .orderBy(asc(users.email));

/** Returns one tag as `listOwnTags` does, for its owner and the operator. @throws ApiError 404 */
export async function getTag(db: Database, caller: Manager, tagId: string): Promise<OwnTag> {
  const { tags } = await listOwnTags(db, { userId: await requireTagOwner(db, caller, tagId) });
  const tag = tags.find(({ id }) => id === tagId);
  if (!tag) throw new ApiError("NOT_FOUND", MESSAGES.tagNotFound);
  return tag;
}
