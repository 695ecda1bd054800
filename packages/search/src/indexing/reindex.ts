import { type Database, schema } from "@minutes/db";
import { eq, type SQL, sql } from "drizzle-orm";
import { NOTES_FROM, VERSION } from "../ranking.js";
import { readVectors, restoreVectors } from "../similarity/kept-vectors.js";
import type { SpokenTurn } from "./chunk.js";
import { indexMeeting, indexNotes } from "./index-meeting.js";

const { meetings, participants, searchChunks, searchDocuments, searchSettings } = schema;

/**
 * Matches meetings indexed in another language or by an older version, and meetings with speech that are not indexed.
 */
const outdated = sql`(
  exists (
    select from ${searchDocuments} d, ${searchSettings} s
    where d.meeting_id = ${meetings.id} and (d.version <> ${VERSION} or d.language <> s.language)
  ) or (
    not exists (select from ${searchDocuments} d where d.meeting_id = ${meetings.id} and d.first_chunk = 0)
    and exists (select from read_segments(${meetings.id}) t where t.text ~ '\\S')
  ))`;

/** Counts the meetings that `reindexSome` would index. */
export async function countOutdated(db: Database): Promise<number> {
  const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(meetings).where(outdated);
  return row?.count ?? 0;
}

/**
 * Reindexes some outdated meetings, newest first, each in its own transaction, so that they stay searchable.
 * @returns the number of reindexed meetings; 0 if none is left
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

/**
 * Indexes the notes of a meeting again, within the caller's transaction: after changes that no trigger notices, such as a
 * new or deleted task. The caller holds the meeting's lock.
 */
export async function reindexNotes(tx: Database, meetingId: string): Promise<void> {
  await tx
    .delete(searchDocuments)
    .where(sql`${searchDocuments.meetingId} = ${meetingId} and ${searchDocuments.firstChunk} > 0`);
  await tx
    .delete(searchChunks)
    .where(sql`${searchChunks.meetingId} = ${meetingId} and ${searchChunks.position} >= ${NOTES_FROM}`);
  await indexNotes(tx, meetingId);
}

/**
 * Reindexes a meeting within the caller's transaction. The caller holds the meeting's lock. Vectors stay if what was said
 * and its chunks are the same, such as after a speaker is renamed.
 */
export async function reindexMeeting(tx: Database, meetingId: string): Promise<void> {
  // Locks the meeting, so that a deletion comes before or after.
  const [meeting] = await tx
    .select({ title: meetings.title })
    .from(meetings)
    .where(eq(meetings.id, meetingId))
    .for("update");
  if (!meeting) return;
  const turns = await readTurns(tx, meetingId);
  const vectors = await readVectors(tx, meetingId);
  await tx.delete(searchDocuments).where(eq(searchDocuments.meetingId, meetingId));
  await tx.delete(searchChunks).where(eq(searchChunks.meetingId, meetingId));
  await indexMeeting(tx, meetingId, meeting.title, turns);
  await restoreVectors(tx, meetingId, vectors);
}

/** Turns read per statement. All turns of a long meeting would hold the event loop, and the embedded engine. */
const TURNS_AT_ONCE = 1_000;

/** Reads what was said, in order. */
async function readTurns(tx: Database, meetingId: string): Promise<SpokenTurn[]> {
  const read = (segments: SQL): Promise<SpokenTurn[]> =>
    tx
      .select({ speaker: participants.name, text: sql<string>`x.text` })
      .from(sql`${segments} x`)
      .innerJoin(
        participants,
        sql`${participants.meetingId} = ${meetingId} and ${participants.id} = x.speaker_id`,
      )
      .orderBy(sql`x.position`);
  const turns: SpokenTurn[] = [];
  for (;;) {
    const [first, last] = [turns.length, turns.length + TURNS_AT_ONCE - 1];
    const some = await read(sql`read_segments_between(${meetingId}, ${first}::int, ${last}::int)`);
    // Positions have no gaps, and every turn has a speaker.
    for (const turn of some) turns.push(turn);
    if (some.length < TURNS_AT_ONCE) break;
  }
  // Of a distributed table, this waits for turns that a restarted worker doesn't show yet.
  return turns.length > 0 ? turns : read(sql`read_segments(${meetingId})`);
}

/** Returns true if the database has this text-search configuration. */
export async function hasSearchLanguage(db: Database, language: string): Promise<boolean> {
  const [known] = await db
    .select({ language: sql<string>`cfgname` })
    .from(sql`pg_ts_config`)
    .where(sql`cfgname = ${language} and pg_ts_config_is_visible(oid)`);
  return known !== undefined;
}

/**
 * Sets the database's text-search configuration for new meetings. Stored meetings stay searchable and follow with
 * `reindexSome`.
 * @returns false if the database has no such configuration; nothing changes then
 */
export async function setSearchLanguage(db: Database, language: string): Promise<boolean> {
  if (!(await hasSearchLanguage(db, language))) return false;
  await db.update(searchSettings).set({ language }).where(sql`${searchSettings.language} <> ${language}`);
  return true;
}
