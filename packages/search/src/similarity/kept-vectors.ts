import { type Database, hasVectors, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { readEmbeddedTexts } from "./embedded-texts.js";
import { storeVectors, type WindowVector } from "./store.js";

const { searchDocuments } = schema;

/** The vectors of one document of a meeting, and the texts they stand for. */
interface KeptVectors {
  readonly firstChunk: number;
  readonly texts: string;
  readonly windows: readonly WindowVector[];
  readonly space: string;
}

const readTexts = async (tx: Database, document: number): Promise<string> =>
  JSON.stringify(await readEmbeddedTexts(tx, document));

/** Reads the vectors of a meeting before it is reindexed. */
export async function readVectors(tx: Database, meetingId: string): Promise<KeptVectors[]> {
  const documents = await tx
    .select({
      document: searchDocuments.document,
      firstChunk: searchDocuments.firstChunk,
      space: searchDocuments.space,
    })
    .from(searchDocuments)
    .where(eq(searchDocuments.meetingId, meetingId));
  const kept: KeptVectors[] = [];
  if (documents.every(({ space }) => space === null) || !(await hasVectors(tx))) return kept;
  for (const { document, firstChunk, space } of documents) {
    if (space === null) continue;
    const windows = await tx
      .select({ chunk: sql<number>`w.chunk`, vector: sql<string>`w.vector::text` })
      .from(sql`search_windows w`)
      .where(sql`w.document = ${document}`)
      .orderBy(sql`w.position`);
    if (windows.length > 0) kept.push({ firstChunk, space, windows, texts: await readTexts(tx, document) });
  }
  return kept;
}

/** Stores the vectors of those documents of a reindexed meeting whose texts are the same. */
export async function restoreVectors(
  tx: Database,
  meetingId: string,
  kept: readonly KeptVectors[],
): Promise<void> {
  for (const { firstChunk, texts, windows, space } of kept) {
    const [made] = await tx
      .select({ document: searchDocuments.document })
      .from(searchDocuments)
      .where(and(eq(searchDocuments.meetingId, meetingId), eq(searchDocuments.firstChunk, firstChunk)));
    if (made && (await readTexts(tx, made.document)) === texts)
      await storeVectors(tx, made.document, windows, space);
  }
}
