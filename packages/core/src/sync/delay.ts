import { type Database, selectOne } from "@minutes/db";
import { sql } from "drizzle-orm";

/**
 * Measures how long the change feed has been held back: seconds since the oldest transaction began that has written and
 * has not ended, in any database of the cluster, prepared ones included. 0 when there is none.
 *
 * Needs no superuser. Sessions of other roles hide when they began, and are left out, unless the own role has
 * `pg_read_all_stats`.
 * @see docs/decisions/0160-the-change-feed.md
 */
export async function measureFeedDelay(db: Database): Promise<number> {
  const row = await selectOne<{ seconds: number }>(db, "feed_delay", selectDelay, {});
  return row?.seconds ?? 0;
}

const selectDelay = () => sql`
  select coalesce(extract(epoch from clock_timestamp() - min(began)), 0)::float8 as seconds from (
    select xact_start as began from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
    union all
    select prepared from pg_prepared_xacts) writing`;
