import type { Database } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

/**
 * Replaces a meeting's vectors, given in order of its chunks as pgvector reads them. `claim` is an update of its row
 * `d` of documents that also says which space they are in; where it finds none, since the meeting was deleted or
 * given to another meanwhile, nothing is stored.
 */
export async function storeVectors(tx: Database, vectors: readonly string[], claim: SQL): Promise<void> {
  await tx.execute(sql`
    with here as (${claim} returning d.document)
    insert into search_vectors (document, chunk, vector)
    select document, at - 1, vector::vector
    from here, json_array_elements_text(${JSON.stringify(vectors)}::json) with ordinality v (vector, at)
    on conflict (document, chunk) do update set vector = excluded.vector`);
}
