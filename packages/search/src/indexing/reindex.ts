import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { VERSION } from "../ranking.js";
import { indexMeeting } from "./index-meeting.js";

const { meetings, participants, searchChunks, searchDocuments, searchSettings } = schema;

/** True for meetings indexed in another language or by an older version, and for those with speech but no index. */
const outdated = sql`
  not exists (
    select from ${searchDocuments} d, ${searchSettings} s
    where d.meeting_id = ${meetings.id} and d.version = ${VERSION} and d.language = s.language
  ) and (
    exists (select from ${searchDocuments} d where d.meeting_id = ${meetings.id})
    or exists (select from read_segments(${meetings.id}) t where t.text ~ '\\S'))`;

/** Counts the meetings that `reindexSome` would index. */
export async function countOutdated(db: Database): Promise<number> {
  const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(meetings).where(outdated);
  return row?.count ?? 0;
}

/**
 * Indexes some outdated meetings again, the newest first, each in a transaction of its own, so that a meeting can be
 * found all the time.
 * @returns how many; 0 when none is left
 */
export async function reindexSome(db: Database, limit: number): Promise<number> {
  const ids = await db
    .select({ id: meetings.id })
    .from(meetings)
    .where(outdated)
    .orderBy(sql`${meetings.startTime} desc`)
    .limit(limit);
  for (const { id } of ids) await db.transaction((tx) => reindexMeeting(tx, id));
  return ids.length;
}

/** Indexes a meeting again as it is now. Part of the caller's transaction, which it locks the meeting for. */
export async function reindexMeeting(tx: Database, meetingId: string): Promise<void> {
  // Locks the meeting: a deletion comes before or after.
  const [meeting] = await tx
    .select({ title: meetings.title })
    .from(meetings)
    .where(eq(meetings.id, meetingId))
    .for("update");
  if (!meeting) return;
  const turns = await tx
    .select({ speaker: participants.name, text: sql<string>`x.text` })
    .from(sql`read_segments(${meetingId}) x`)
    .innerJoin(
      participants,
      sql`${participants.meetingId} = ${meetingId} and ${participants.id} = x.speaker_id`,
    )
    .orderBy(sql`x.position`);
  await tx.delete(searchDocuments).where(eq(searchDocuments.meetingId, meetingId));
  await tx.delete(searchChunks).where(eq(searchChunks.meetingId, meetingId));
  await indexMeeting(tx, meetingId, meeting.title, turns);
}

/**
 * Sets the text-search configuration of the database in which new meetings are indexed. Stored meetings stay findable,
 * and follow with `reindexSome`.
 * @returns false when the database has no such configuration; then nothing changes
 */
export async function setSearchLanguage(db: Database, language: string): Promise<boolean> {
  const [known] = await db
    .select({ language: sql<string>`cfgname` })
    .from(sql`pg_ts_config`)
    .where(sql`cfgname = ${language} and pg_ts_config_is_visible(oid)`);
  if (!known) return false;
  await db.update(searchSettings).set({ language }).where(sql`${searchSettings.language} <> ${language}`);
  return true;
}
