import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";

/** Number of pages to read in one step: 16 MB. */
const STEP = 2_048;

/**
 * Removes deleted rows from a table's pages, step by step: the engine does it when it reads a full page. The vacuum that
 * follows, a single statement, then takes half the time. Does nothing for a small table.
 * @param name quoted, with its schema
 */
export async function pruneTable(db: Database, name: string, isStopped: () => boolean): Promise<void> {
  const [table] = await db
    .select({ pages: sql<number>`(bytes / 8192)::float8` })
    .from(sql`pg_relation_size(${name}::text::regclass) as bytes`);
  const pages = table?.pages ?? 0;
  if (pages <= STEP) return;
  for (let from = 0; from < pages && !isStopped(); from += STEP) {
    const range = `ctid >= '(${from},0)' and ctid < '(${from + STEP},0)'`;
    await db.execute(sql.raw(`select count(*) from ${name} where ${range}`));
    await new Promise(setImmediate);
  }
}
