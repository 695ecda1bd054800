import { PLAN_LIMITS, type PlanLimits } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, count, eq, type SQL, sql } from "drizzle-orm";
import { getPlan } from "./plan.js";

const { creditCharges } = schema;

/** First day of the current calendar month (UTC), on the database's clock. */
export const thisMonth = sql<string>`date_trunc('month', now() at time zone 'UTC')::date`;

/** Counts a user's used credits in a month, the current one by default. */
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

/** Returns true if a plan allows another credit after `used` ones. */
export const allowsCredit = ({ creditsPerMonth }: PlanLimits, used: number): boolean =>
  creditsPerMonth === null || used < creditsPerMonth;

/** Returns true if a meeting exceeds a plan's maximum duration. An unknown duration does not. */
export const exceedsDuration = ({ maxMeetingMinutes }: PlanLimits, milliseconds: number | null): boolean =>
  milliseconds !== null && milliseconds > maxMeetingMinutes * 60_000;

/** Returns true if a credit was charged for a recording. */
export async function isCharged(tx: Database, recordingId: string): Promise<boolean> {
  return (await tx.$count(creditCharges, eq(creditCharges.recordingId, recordingId))) > 0;
}

/** Moves a deleted recording's credit to the recording that restores it, so it is charged only once. */
export async function moveCharge(tx: Database, from: string, to: string, userId: string): Promise<void> {
  await tx
    .update(creditCharges)
    .set({ recordingId: to })
    .where(and(eq(creditCharges.recordingId, from), eq(creditCharges.userId, userId)));
}

/** Serializes the charges of a user until the transaction ends. */
const lockCharges = (tx: Database, userId: string): Promise<unknown> =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtext('credits'), hashtext(${userId}))`);

/**
 * Charges a user one credit of this month for a recording, if the plan allows another. On a plan with an allowance, the
 * user's charges wait for each other, so that it can't be exceeded. Repeated charges for a recording are no-ops.
 * @see docs/specification.md#what-the-service-does
 * @returns false if the allowance is used up and nothing was charged
 */
export async function chargeCredit(
  tx: Database,
  limits: PlanLimits,
  userId: string,
  recordingId: string,
): Promise<boolean> {
  if (limits.creditsPerMonth !== null) {
    await lockCharges(tx, userId);
    if (!allowsCredit(limits, await countCreditsUsed(tx, userId))) return isCharged(tx, recordingId);
  }
  await tx.insert(creditCharges).values({ recordingId, userId, month: thisMonth }).onConflictDoNothing();
  return true;
}

/** Returns the limits of a user's plan, and the credits used this month. */
export async function getUsage(
  db: Database,
  { userId, workspaceId }: { userId: string; workspaceId: string },
) {
  const plan = await getPlan(db, workspaceId);
  return { plan, limits: PLAN_LIMITS[plan], creditsUsed: await countCreditsUsed(db, userId) };
}
