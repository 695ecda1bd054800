import { runInBatches } from "@minutes/background";
import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { syncRemovals, syncStarts } = schema;

/** One day longer than the lifetime of a cursor. */
const KEPT_DAYS = LIMITS.syncCursorDays + 1;

/** Deletes removals and starts that no valid cursor needs. */
export async function purgeSync(db: Database): Promise<void> {
  const cutoff = sql`now() - make_interval(days => ${KEPT_DAYS}::int)`;
  await runInBatches((limit) =>
    db
      .delete(syncRemovals)
      .where(
        sql`(${syncRemovals.scope}, ${syncRemovals.type}, ${syncRemovals.id}) in (
          select r.scope, r.type, r.id from ${syncRemovals} r where r.at < ${cutoff} order by r.at limit ${limit})
          and ${syncRemovals.at} < ${cutoff}`,
      )
      .returning({ id: syncRemovals.id }),
  );
  // A cursor names the last start before it, which can be older than the cursor.
  await db
    .delete(syncStarts)
    .where(sql`${syncStarts.id} < (select max(s.id) from ${syncStarts} s where s.at < ${cutoff})`);
}
