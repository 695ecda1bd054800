import { type SQL, sql } from "drizzle-orm";

/** Seconds of the turns `x` in a group whose start and end are known; null if none are. */
export const talkSeconds: SQL = sql`sum(greatest(x.end_seconds - x.start_seconds, 0))
  filter (where x.start_seconds is not null and x.end_seconds is not null)`;
