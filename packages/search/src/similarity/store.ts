import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";

const { searchDocuments } = schema;

/** A window's vector in pgvector format, and its chunk. */
export interface WindowVector {
  readonly chunk: number;
  readonly vector: string;
}

/**
 * Replaces a meeting's vectors and records their space in its document row. Stores nothing if that row is gone, because
 * the meeting was deleted or reindexed. Locks the row first, so that a deletion finds the vectors.
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
