import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";

const { searchDocuments } = schema;

/** A window's vector, as pgvector reads it, and the chunk that it belongs to. */
export interface WindowVector {
  readonly chunk: number;
  readonly vector: string;
}

/**
 * Replaces a meeting's vectors, and says in its row of documents which space they are in. Where there is none, since the meeting
 * was deleted or indexed again meanwhile, nothing is stored. Locks that row first, so that a deletion finds the vectors.
 */
export async function storeVectors(
  tx: Database,
  document: number,
  windows: readonly WindowVector[],
  space: string,
): Promise<void> {
  const claimed = await tx
    .update(searchDocuments)
    .set({ space, leasedUntil: null })
    .where(eq(searchDocuments.document, document))
    .returning({ document: searchDocuments.document });
  await tx.execute(sql`delete from search_windows where document = ${document}`);
  if (claimed.length === 0) return;
  await tx.execute(sql`
    insert into search_windows (document, position, chunk, vector)
    select ${document}::int, at, (w->>'chunk')::smallint, (w->>'vector')::search_vector
    from json_array_elements(${JSON.stringify(windows)}::json) with ordinality t (w, at)`);
}
