import type { Database } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

/** A window's vector, as pgvector reads it, and the chunk that it belongs to. */
export interface WindowVector {
  readonly chunk: number;
  readonly vector: string;
}

/**
 * Replaces a meeting's vectors. `claim` is an update of its row `d` of documents that also says which space they are
 * in. Where it finds none, since the meeting was deleted or indexed again meanwhile, nothing is stored.
 */
export async function storeVectors(
  tx: Database,
  document: number,
  windows: readonly WindowVector[],
  claim: SQL,
): Promise<void> {
  await tx.execute(sql`delete from search_windows where document = ${document}`);
  await tx.execute(sql`
    with claimed as (${claim} returning d.document)
    insert into search_windows (document, position, chunk, vector)
    select document, at, (w->>'chunk')::smallint, (w->>'vector')::search_vector
    from claimed, json_array_elements(${JSON.stringify(windows)}::json) with ordinality t (w, at)`);
}
