import { PLAN_LIMITS, type PlanLimits } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import { getPlan } from "./plan.js";

const { creditCharges, meetings, summaries } = schema;

/** First day of the current calendar month (UTC), on the database's clock. */
const thisMonth = sql<string>`date_trunc('month', now() at time zone 'UTC')::date`;

/** Counts the credits that a user has used in a month, the current one by default. */
export async function countCreditsUsed(
  tx: Database,
  userId: string,
  month: string | SQL = thisMonth,
): Promise<number> {
  const [row] = await tx
    .select({ used: count() })
    .from(creditCharges)
    .where(and(eq(creditCharges.userId, userId), sql`${creditCharges.month} = ${month}`));
  return row?.used ?? 0;
}

/** Returns true when a plan allows another credit after `used` ones. */
export const allowsCredit = ({ creditsPerMonth }: PlanLimits, used: number): boolean =>
  creditsPerMonth === null || used < creditsPerMonth;

/** Returns true when a meeting of so many milliseconds is longer than a plan allows; one of unknown length is not. */
export const exceedsDuration = ({ maxMeetingMinutes }: PlanLimits, milliseconds: number | null): boolean =>
  milliseconds !== null && milliseconds > maxMeetingMinutes * 60_000;

/**
 * Charges a user one credit of this month for a recording, if the plan allows another. The caller has locked the user's
 * membership, so that completions of one user follow one another and none exceeds the allowance.
 * @see docs/specification.md#what-the-service-does
 * @returns false when the allowance is used up, and nothing was charged.
 */
export async function chargeCredit(
  tx: Database,
  limits: PlanLimits,
  userId: string,
  recordingId: string,
): Promise<boolean> {
  if (limits.creditsPerMonth !== null && !allowsCredit(limits, await countCreditsUsed(tx, userId)))
    return false;
  await tx.insert(creditCharges).values({ recordingId, userId, month: thisMonth });
  return true;
}

/** Gets the limits of a user's plan, and the credits that they have used this month. */
export async function getUsage(
  db: Database,
  { userId, workspaceId }: { userId: string; workspaceId: string },
) {
  const plan = await getPlan(db, workspaceId);
  return { plan, limits: PLAN_LIMITS[plan], creditsUsed: await countCreditsUsed(db, userId) };
}

/** Counts the locked summaries of a user's meetings. */
export async function countLockedSummaries(db: Database, userId: string): Promise<number> {
  const [locked] = await db
    .select({ count: count() })
    .from(summaries)
    .innerJoin(meetings, eq(meetings.id, summaries.meetingId))
    .where(and(eq(meetings.userId, userId), eq(summaries.locked, true)));
  return locked?.count ?? 0;
}

/** Months that are shown, the current one included. */
const MONTHS_SHOWN = 6;

/** Lists the credits of the last months, oldest first, also of months without any. `month` is its first day (UTC). */
export async function listCreditsByMonth(
  db: Database,
  userId: string,
): Promise<{ month: string; credits: number }[]> {
  const month = sql<string>`to_char(m, 'YYYY-MM-DD')`;
  return db
    .select({ month, credits: count(creditCharges.recordingId) })
    .from(
      sql`generate_series(${thisMonth} - make_interval(months => ${MONTHS_SHOWN - 1}::int), ${thisMonth}, interval '1 month') m`,
    )
    .leftJoin(creditCharges, and(eq(creditCharges.userId, userId), sql`${creditCharges.month} = m::date`))
    .groupBy(sql`m`)
    .orderBy(asc(sql`m`));
}
