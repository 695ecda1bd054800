import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { chargeCredit, exceedsDuration, limitsOf } from "../plans/index.js";
import { enqueueDeliveries } from "../webhooks/index.js";
import type { Membership } from "../workspaces/index.js";
import { type Content, storeMeeting } from "./store-meeting.js";

const { recordingDrafts, recordings } = schema;

/**
 * Milliseconds that a statement may take here, as long as an ingest call has: the words of a meeting of many megabytes
 * are stored in one, which takes longer than the calls of `/v1` are given.
 */
const STATEMENT_TIMEOUT = "60000";

/**
 * Everything that completing a recording means, in the caller's transaction, which also holds the owner's
 * membership: the meeting with all its parts, its credit, its search rows and its event, all or nothing.
 *
 * Over the credits or the duration of the owner's plan it is stored whole with its summary locked; too short to
 * yield a summary, it has none and costs nothing.
 * @see docs/specification.md#what-the-service-does
 */
export async function finish(
  tx: Database,
  recordingId: string,
  owner: Membership,
  meeting: Content,
): Promise<void> {
  await tx.execute(sql`select set_config('statement_timeout', ${STATEMENT_TIMEOUT}, true)`);
  let locked = false;
  const short = tooShort(meeting);
  if (!short) {
    const limits = await limitsOf(tx, owner.workspaceId);
    const charged = await chargeCredit(tx, limits, owner.userId, recordingId);
    locked = !charged || exceedsDuration(limits, durationOf(meeting));
  }
  const { summary, ...rest } = meeting;
  await storeMeeting(tx, recordingId, owner, short ? rest : meeting, { locked });
  await enqueueDeliveries(tx, recordingId);
  await tx
    .update(recordings)
    .set({ state: "completed", updatedAt: sql`now()` })
    .where(eq(recordings.id, recordingId));
  await tx.delete(recordingDrafts).where(eq(recordingDrafts.recordingId, recordingId));
}

/** True for a meeting in which fewer than ten words were spoken: it yields no summary. */
export function tooShort({ transcript }: Pick<Content, "transcript">): boolean {
  let words = 0;
  for (const { text } of transcript) {
    words += text.match(/\S+/g)?.length ?? 0;
    if (words >= LIMITS.summaryMinWords) return false;
  }
  return true;
}

/** Milliseconds that a meeting took, by its times or else by its transcript; null when neither tells. */
function durationOf({ startTime, endTime, transcript }: Content): number | null {
  if (endTime !== undefined) return Date.parse(endTime) - Date.parse(startTime);
  let last: number | null = null;
  for (const { start, end } of transcript) {
    const seconds = end ?? start;
    if (seconds !== undefined) last = Math.max(last ?? 0, seconds);
  }
  return last === null ? null : last * 1000;
}
