import type { PlanLimits } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { writeInBatches } from "../batches.js";
import { announceUpdates } from "../events/index.js";
import { allowsCredit, countCreditsUsed, exceedsDuration } from "./credits.js";

const { creditCharges, meetings, summaries } = schema;

/** Milliseconds that a stored meeting took, by its times or else by its transcript; null when it has neither. */
const duration = sql<number | null>`(1000 * coalesce(
  extract(epoch from ${meetings.endTime} - ${meetings.startTime}),
  (select max(coalesce(x.end_seconds, x.start_seconds)) from read_segments(${meetings.id}) x)
))::float8`;

/**
 * Unlocks a user's summaries as far as a plan allows, in the order in which the meetings were completed: those that are not
 * too long and whose month has a credit left. The credit is charged now, unless it was charged at completion. The caller has
 * locked the user's membership, as completions do.
 */
export async function unlockSummaries(tx: Database, limits: PlanLimits, userId: string): Promise<void> {
  const locked = await tx
    .select({
      id: meetings.id,
      milliseconds: duration,
      month: sql<string>`to_char(date_trunc('month', ${meetings.createdAt} at time zone 'UTC'), 'YYYY-MM-DD')`,
      charged: creditCharges.recordingId,
    })
    .from(summaries)
    .innerJoin(meetings, eq(meetings.id, summaries.meetingId))
    .leftJoin(creditCharges, eq(creditCharges.recordingId, meetings.id))
    .where(and(eq(summaries.locked, true), eq(meetings.userId, userId)))
    .orderBy(asc(meetings.createdAt), asc(meetings.id));

  const used = new Map<string, number>();
  const unlocked: string[] = [];
  const charges: (typeof creditCharges.$inferInsert)[] = [];
  for (const { id, milliseconds, month, charged } of locked) {
    if (exceedsDuration(limits, milliseconds)) continue;
    if (charged === null) {
      const before = used.get(month) ?? (await countCreditsUsed(tx, userId, month));
      used.set(month, before);
      if (!allowsCredit(limits, before)) continue;
      used.set(month, before + 1);
      charges.push({ recordingId: id, userId, month });
    }
    unlocked.push(id);
  }
  await writeInBatches(charges, (batch) => tx.insert(creditCharges).values(batch));
  await writeInBatches(unlocked, (batch) =>
    tx.update(summaries).set({ locked: false }).where(inArray(summaries.meetingId, batch)),
  );
  if (unlocked.length > 0) await announceUpdates(tx, unlocked);
}
