import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";

/**
 * Lists the transactions of this database that have written something and still run, by their numbers. One that runs since
 * before an erasure can have read the person and write them after it: an import does.
 */
export async function listWrites(db: Database): Promise<string[]> {
  const rows = await db
    .select({ id: sql<string>`l.transactionid::text` })
    .from(sql`pg_locks l join pg_stat_activity a on a.pid = l.pid`)
    .where(
      sql`l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and a.datname = current_database()
        and l.pid <> pg_backend_pid()`,
    );
  return rows.map(({ id }) => id);
}
