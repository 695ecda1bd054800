import { type Database, runNamedStatement } from "@minutes/db";
import { sql } from "drizzle-orm";
import { countRequests } from "./quota.js";

/** Begins the scopes of windows that last a day. */
export const DAILY = "day:";

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
