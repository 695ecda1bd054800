import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { syncWaits } = schema;

/** Interval in ms at which new waits renew the announcement. */
export const WAITS_ANNOUNCED_EVERY = 30_000;

/** Lifetime of an announcement in seconds: until the last wait under it has ended, and as long again for slow reads. */
const HOLDS = 2 * (WAITS_ANNOUNCED_EVERY / 1000 + LIMITS.syncWaitMax);

/**
 * Makes writes send change notifications for a while. Without waiting callers they don't, because PostgreSQL serializes
 * the commits of transactions that notify.
 * @see docs/decisions/0160-change-feed.md
 */
export async function enableChangeNotifications(db: Database): Promise<void> {
  const until = sql`now() + make_interval(secs => ${HOLDS})`;
  await db.insert(syncWaits).values({ until }).onConflictDoUpdate({ target: syncWaits.only, set: { until } });
}
