import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { type RenderedSummary, renderSummary } from "../meetings/index.js";
import { chargeCredit, exceedsDuration, getPlanLimits } from "../plans/index.js";
import { enqueueDeliveries } from "../webhooks/index.js";
import type { Membership } from "../workspaces/index.js";
import { type MeetingContent, storeMeeting } from "./store-meeting.js";

const { recordingDrafts, recordings } = schema;

/**
 * Milliseconds that a statement may take here: as many as an ingest call has. One statement stores the words of a meeting
 * of many megabytes, which takes longer than the calls of `/v1` may.
 */
const STATEMENT_TIMEOUT = "60000";

/**
 * Completes a recording in the caller's transaction, which has locked the owner's membership: stores the meeting with all
 * its parts, charges its credit, indexes it and enqueues its event, all or nothing.
 *
 * Over the credits or the duration of the owner's plan, the meeting is stored whole with its summary locked. Too short to
 * yield a summary, it has none and costs nothing.
 * @see docs/specification.md#what-the-service-does
 */
export async function completeMeeting(
  tx: Database,
  recordingId: string,
  owner: Membership,
  { meeting, summary }: MeetingWithSummary,
): Promise<void> {
  await tx.execute(sql`select set_config('statement_timeout', ${STATEMENT_TIMEOUT}, true)`);
  let locked = false;
  const short = isTooShortToSummarise(meeting);
  if (!short) {
    const limits = await getPlanLimits(tx, owner.workspaceId);
    const charged = await chargeCredit(tx, limits, owner.userId, recordingId);
    locked = !charged || exceedsDuration(limits, getDuration(meeting));
  }
  await storeMeeting(tx, recordingId, owner, meeting, { summary: short ? null : summary, locked });
  await enqueueDeliveries(tx, recordingId);
  await tx
    .update(recordings)
    .set({ state: "completed", updatedAt: sql`now()` })
    .where(eq(recordings.id, recordingId));
  await tx.delete(recordingDrafts).where(eq(recordingDrafts.recordingId, recordingId));
}

/** A meeting with its summary as HTML. */
export interface MeetingWithSummary {
  readonly meeting: MeetingContent;
  readonly summary: RenderedSummary | null;
}

/** Renders a meeting's summary, before the transaction that stores it. */
export const renderMeeting = async (meeting: MeetingContent): Promise<MeetingWithSummary> => ({
  meeting,
  summary: meeting.summary ? await renderSummary(meeting.summary) : null,
});

/** Returns true for a meeting in which fewer than ten words were spoken: it yields no summary. */
export function isTooShortToSummarise({ transcript }: Pick<MeetingContent, "transcript">): boolean {
  let words = 0;
  for (const { text } of transcript) {
    words += text.match(/\S+/g)?.length ?? 0;
    if (words >= LIMITS.summaryMinWords) return false;
  }
  return true;
}

/** Returns the milliseconds that a meeting took, by its times or else by its transcript; null when it has neither. */
function getDuration({ startTime, endTime, transcript }: MeetingContent): number | null {
  if (endTime !== undefined) return Date.parse(endTime) - Date.parse(startTime);
  let last: number | null = null;
  for (const { start, end } of transcript) {
    const seconds = end ?? start;
    if (seconds !== undefined) last = Math.max(last ?? 0, seconds);
  }
  return last === null ? null : last * 1000;
}
