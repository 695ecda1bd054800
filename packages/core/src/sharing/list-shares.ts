import { type Database, schema } from "@minutes/db";
import { asc, eq } from "drizzle-orm";

const { meetings, meetingShares, tags, tagShares, users } = schema;

/** A meeting or tag that is shared directly, and the e-mail address of the member. */
interface Share {
  readonly id: string;
  /** The meeting's title, or the tag's name. */
  readonly name: string;
  readonly with: string;
}

/** Lists the direct shares of a meeting or tag, or of everything a user owns: tags first, then by start. For the operator. */
export async function listShares(
  db: Database,
  of: { readonly id: string } | { readonly userId: string },
): Promise<Share[]> {
  const ofTags = await db
    .select({ id: tags.id, name: tags.name, with: users.email })
    .from(tagShares)
    .innerJoin(tags, eq(tags.id, tagShares.tagId))
    .innerJoin(users, eq(users.id, tagShares.userId))
    .where("id" in of ? eq(tagShares.tagId, of.id) : eq(tagShares.ownerId, of.userId))
    .orderBy(asc(tags.name), asc(users.email));
  const ofMeetings = await db
    .select({ id: meetings.id, name: meetings.title, with: users.email })
    .from(meetingShares)
    .innerJoin(meetings, eq(meetings.id, meetingShares.meetingId))
    .innerJoin(users, eq(users.id, meetingShares.userId))
    .where("id" in of ? eq(meetingShares.meetingId, of.id) : eq(meetingShares.ownerId, of.userId))
    .orderBy(asc(meetingShares.startTime), asc(users.email));
  return [...ofTags, ...ofMeetings];
}
