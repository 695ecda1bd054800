import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { deleteInBatches } from "../../lib/purge-expired.js";
import { countRequests } from "./quota.js";

/** Begins the scopes of windows that last a day. */
const DAILY = "day:";

const DAY = 86_400;

const countAmount = () =>
  countRequests(
    sql`(select ${sql.placeholder("scope")}::text as scope, ${sql.placeholder("amount")}::int as requests) one`,
    DAY,
  );

/** What is counted: an amount of something, such as `answers`, for a person. */
interface Count {
  readonly what: string;
  readonly userId: string;
  readonly amount: number;
  readonly limit: number;
}

/**
 * Counts towards a person's day, which starts with what is counted first. A refused amount also counts.
 * @returns false if the limit is exceeded
 */
export async function countTowardsDay(
  db: Database,
  { what, userId, amount, limit }: Count,
): Promise<boolean> {
  const values = { scope: `${DAILY}${what}:${userId}`, amount };
  const [row] = await runNamedStatement<{ used: number }>(db, "count_daily", countAmount, values);
  return row !== undefined && row.used <= limit;
}

const { rateWindows } = schema;

/** Deletes quota windows that ended long ago: some contain a visitor's network address. */
export async function purgeRateWindows(db: Database): Promise<void> {
  const isDaily = sql`starts_with(${rateWindows.scope}, ${DAILY})`;
  const kept = sql`case when ${isDaily} then interval '1 day' else interval '1 hour' end`;
  await deleteInBatches(
    db,
    rateWindows,
    [rateWindows.scope],
    sql`${rateWindows.startedAt} < now() - ${kept}`,
  );
}
