import type { PlanLimits } from "@minutes/contract";
import { type Database, insertRows, schema, writeArray } from "@minutes/db";
import { and, asc, eq, or, sql } from "drizzle-orm";
import { changeNotes, selectMeetingsWithLockedVersions, unlockVersions } from "../../versions/index.js";
import { allowsCredit, countCreditsUsed, exceedsDuration } from "./credits.js";
import { isTooShortToSummarise } from "./plan.js";

const { creditCharges, meetings, summaries } = schema;

/** Duration of a stored meeting in ms, from its times or else its transcript; null if it has neither. */
const duration = sql<number | null>`(1000 * coalesce(
  extract(epoch from ${meetings.endTime} - ${meetings.startTime}),
  (select max(coalesce(x.end_seconds, x.start_seconds)) from read_segments(${meetings.id}) x)
))::float8`;

/** Number of turns read to count a meeting's first words. */
const FIRST_TURNS = 1_000;

/** Returns true for a stored meeting that was too short to cost a credit. */
async function isFree(tx: Database, meetingId: string): Promise<boolean> {
  const turns = await tx
    .select({ text: sql<string>`x.text` })
    .from(sql`read_segments(${meetingId}) x`)
    .orderBy(sql`x.position`)
    .limit(FIRST_TURNS);
  return isTooShortToSummarise(turns);
}

/**
 * Unlocks as many summaries of a user as a plan allows, in order of completion: meetings that are not too long and
 * whose month has a credit left. Charges the credit now, unless it was charged at completion or the meeting was too
 * short to cost one. Earlier versions are unlocked with them. If only earlier versions have a locked summary, because a
 * recorder removed it, it costs no credit: a plan that would charge one leaves it locked.
 * The caller holds the lock on the user's membership, as for completions.
 */
export async function unlockSummaries(tx: Database, limits: PlanLimits, userId: string): Promise<void> {
  const locked = await tx
    .select({
      id: meetings.id,
      milliseconds: duration,
      month: sql<string>`to_char(date_trunc('month', ${meetings.createdAt} at time zone 'UTC'), 'YYYY-MM-DD')`,
      charged: creditCharges.recordingId,
      hasLocked: sql<boolean>`coalesce(${summaries.locked}, false)`,
    })
    .from(meetings)
    .leftJoin(summaries, eq(meetings.id, summaries.meetingId))
    .leftJoin(creditCharges, eq(creditCharges.recordingId, meetings.id))
    .where(
      and(
        eq(meetings.userId, userId),
        or(eq(summaries.locked, true), sql`${meetings.id} in (${selectMeetingsWithLockedVersions(userId)})`),
      ),
    )
    .orderBy(asc(meetings.createdAt), asc(meetings.id));

  const used = new Map<string, number>();
  const unlocked: string[] = [];
  /** Meetings of which only earlier versions are unlocked. */
  const earlier: string[] = [];
  const charges: (typeof creditCharges.$inferInsert)[] = [];
  for (const { id, milliseconds, month, charged, hasLocked } of locked) {
    if (exceedsDuration(limits, milliseconds)) continue;
    if (!hasLocked) {
      if (charged !== null || limits.creditsPerMonth === null || (await isFree(tx, id))) earlier.push(id);
      continue;
    }
    if (charged === null && !(await isFree(tx, id))) {
      const before = used.get(month) ?? (await countCreditsUsed(tx, userId, month));
      used.set(month, before);
      if (!allowsCredit(limits, before)) continue;
      used.set(month, before + 1);
      charges.push({ recordingId: id, userId, month });
    }
    unlocked.push(id);
  }
  await insertRows(tx, creditCharges, charges, (charge) => charge);
  await changeNotes(tx, unlocked, () =>
    tx
      .update(summaries)
      .set({ locked: false })
      .where(sql`${summaries.meetingId} = any(${writeArray(unlocked)}::text::text[])`),
  );
  await unlockVersions(tx, [...unlocked, ...earlier]);
}
