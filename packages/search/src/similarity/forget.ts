import { type Database, hasVectors, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { meetings, searchChanges, searchDocuments, searchLearning } = schema;

/**
 * Removes everything that was learnt from meetings, for a server that doesn't learn: nothing would take deleted words
 * out of it any more. One workspace at a time, so that nobody waits long.
 */
export async function forgetLearnt(db: Database): Promise<void> {
  await db.execute(sql`delete from ${searchChanges}`);
  const stored = await hasVectors(db);
  for (const { workspaceId } of await db
    .select({ workspaceId: searchLearning.workspaceId })
    .from(searchLearning))
    await db.transaction(async (tx) => {
      await tx.execute(sql`delete from ${searchLearning} where workspace_id = ${workspaceId}`);
      if (!stored) return;
      await tx.execute(sql`delete from search_terms where workspace_id = ${workspaceId}`);
      await tx.execute(sql`
        with learnt as (
          update ${searchDocuments} d set space = null from ${meetings} m
          where m.id = d.meeting_id and m.workspace_id = ${workspaceId} and d.space like 'learnt:%'
          returning d.document
        )
        delete from search_vectors where document in (select document from learnt)`);
    });
}
