import { type Database, runNamedStatement } from "@minutes/db";
import { sql } from "drizzle-orm";

/**
 * Measures how long the change feed has been held back, in seconds: the age of the oldest open transaction that has
 * written, in any database of the cluster, including prepared transactions. 0 if there is none.
 *
 * Needs no superuser. The start of other roles' transactions is visible only with `pg_read_all_stats`; without it they
 * are ignored.
 * @see docs/decisions/0160-change-feed.md
 */
export async function measureFeedDelay(db: Database): Promise<number> {
  const [row] = await runNamedStatement<{ seconds: number }>(db, "feed_delay", selectDelay, {});
  return row?.seconds ?? 0;
}

const selectDelay = () => sql`
  select coalesce(extract(epoch from clock_timestamp() - min(began)), 0)::float8 as seconds from (
    select xact_start as began from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
    union all
    select prepared from pg_prepared_xacts) writing`;
