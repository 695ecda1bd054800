import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { syncWaits } = schema;

/** Milliseconds after which a wait that begins is announced again. */
export const WAITS_ANNOUNCED_EVERY = 30_000;

/** Seconds that an announcement holds: until the last wait under it has ended, and as long again for slow reads. */
const HOLDS = 2 * (WAITS_ANNOUNCED_EVERY / 1000 + LIMITS.syncWaitMax);

/**
 * Makes writes notify of their changes for a while. Without waiting callers they don't, because PostgreSQL lets only one
 * transaction at a time commit that has notified.
 * @see docs/decisions/0184-who-is-woken.md
 */
export async function announceWaiting(db: Database): Promise<void> {
  const until = sql`now() + make_interval(secs => ${HOLDS})`;
  await db.insert(syncWaits).values({ until }).onConflictDoUpdate({ target: syncWaits.only, set: { until } });
}
