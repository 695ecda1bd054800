import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { chunkTranscript, type SpokenTurn } from "./chunk.js";

const { searchChunks } = schema;

/** Makes a meeting's words findable; part of the transaction that completes the meeting. */
export async function indexMeeting(
  tx: Database,
  meetingId: string,
  title: string,
  turns: readonly SpokenTurn[],
): Promise<void> {
  const rows = chunkTranscript(turns).map((text, position) => ({
    meetingId,
    position,
    text,
    words: sql`setweight(to_tsvector('english', ${title}), 'C') || to_tsvector('english', ${text})`,
  }));
  for (let at = 0; at < rows.length; at += 200)
    await tx.insert(searchChunks).values(rows.slice(at, at + 200));
}
