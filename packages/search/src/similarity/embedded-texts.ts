import { type Database, schema } from "@minutes/db";
import { and, eq, gte, lt, sql } from "drizzle-orm";
import { NOTES_FROM } from "../ranking.js";

const { searchChunks, searchDocuments } = schema;

/** The text of a chunk as models read it. */
export interface EmbeddedText {
  readonly position: number;
  readonly text: string;
}

/** Removes the speaker's name from each turn. */
const withoutSpeakers = (text: string): string => text.replace(/^.*?: /gm, "");

/** Reads the texts of a document in order, those of a transcript without the speakers' names. */
export async function readEmbeddedTexts(db: Database, document: number): Promise<EmbeddedText[]> {
  const [found] = await db
    .select({ meetingId: searchDocuments.meetingId, firstChunk: searchDocuments.firstChunk })
    .from(searchDocuments)
    .where(sql`${searchDocuments.document} = ${document}`);
  if (!found) return [];
  const isNotes = found.firstChunk > 0;
  const chunks = await db
    .select({ position: searchChunks.position, text: searchChunks.text })
    .from(searchChunks)
    .where(
      and(
        eq(searchChunks.meetingId, found.meetingId),
        isNotes ? gte(searchChunks.position, NOTES_FROM) : lt(searchChunks.position, NOTES_FROM),
      ),
    )
    .orderBy(searchChunks.position);
  return isNotes ? chunks : chunks.map(({ position, text }) => ({ position, text: withoutSpeakers(text) }));
}
