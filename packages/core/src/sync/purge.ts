import { type BackgroundLoop, runInBatches, startHourly } from "@minutes/background";
import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { syncRemovals, syncStarts } = schema;

/** One day longer than the oldest cursor. */
const KEPT_DAYS = LIMITS.syncCursorDays + 1;

/** Purges the change feed at once and every hour. */
export const startSyncPurge = (db: Database, onFault: (error: unknown) => void): BackgroundLoop =>
  startHourly(() => purgeSync(db), onFault);

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
  // A cursor names the last start before it, which may be older than itself.
  await db
    .delete(syncStarts)
    .where(sql`${syncStarts.id} < (select max(s.id) from ${syncStarts} s where s.at < ${cutoff})`);
}
