import type { SummaryOrigin } from "@minutes/contract";
import { type Database, schema, setStatementTimeout } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { type RenderedSummary, renderSummary } from "../meetings/index.js";
import { enqueueDeliveries } from "../webhooks/index.js";
import type { Membership } from "../workspaces/index.js";
import {
  chargeCredit,
  exceedsDuration,
  getPlanLimits,
  isCharged,
  isTooShortToSummarise,
} from "../workspaces/plans/index.js";
import { type MeetingContent, storeMeeting } from "./store-meeting.js";

const { recordingDrafts, recordings } = schema;

/**
 * Statement timeout in ms, equal to the deadline of an ingest call. A single statement stores the words of a meeting of
 * many megabytes, which takes longer than calls of `/v1` allow.
 */
const STATEMENT_TIMEOUT = 60_000;

/**
 * Completes a recording in the caller's transaction, which holds the lock on the owner's membership: stores the meeting
 * with all its data, charges its credit, indexes it and enqueues its event, all or nothing.
 *
 * If the meeting exceeds the credits or duration of the owner's plan, it is stored in full with its summary locked. A
 * meeting too short for a summary costs nothing, and keeps a summary that was sent.
 * @see docs/specification.md#what-the-service-does
 * @returns fields that were sent but not stored
 */
export async function completeMeeting(
  tx: Database,
  recordingId: string,
  owner: Membership,
  { meeting, summary }: MeetingWithSummary,
): Promise<string[]> {
  await allowLongStatements(tx);
  const limits = await getPlanLimits(tx, owner.workspaceId);
  const paid =
    isTooShortToSummarise(meeting.transcript) || (await chargeCredit(tx, limits, owner.userId, recordingId));
  const locked = !paid || exceedsDuration(limits, getDuration(meeting));
  const notStored = await storeMeeting(tx, recordingId, owner, meeting, { summary, locked });
  await enqueueDeliveries(tx, recordingId);
  await tx
    .update(recordings)
    .set({ state: "completed", updatedAt: sql`now()` })
    .where(eq(recordings.id, recordingId));
  await tx.delete(recordingDrafts).where(eq(recordingDrafts.recordingId, recordingId));
  return notStored;
}

/** Raises the transaction's statement timeout to an ingest call's deadline. */
export const allowLongStatements = (tx: Database): Promise<void> =>
  setStatementTimeout(tx, STATEMENT_TIMEOUT);

/**
 * Returns true if the first summary of a completed meeting must be locked: its credit was not charged, or it is longer
 * than the plan allows. Charges nothing.
 */
export async function locksLaterSummary(
  tx: Database,
  recordingId: string,
  owner: Pick<Membership, "workspaceId">,
  meeting: Timed,
): Promise<boolean> {
  const limits = await getPlanLimits(tx, owner.workspaceId);
  if (exceedsDuration(limits, getDuration(meeting))) return true;
  if (limits.creditsPerMonth === null || isTooShortToSummarise(meeting.transcript)) return false;
  return !(await isCharged(tx, recordingId));
}

/** What says how long a meeting was. */
interface Timed extends Pick<MeetingContent, "startTime" | "endTime"> {
  readonly transcript: readonly Pick<MeetingContent["transcript"][number], "text" | "start" | "end">[];
}

/** A meeting with its rendered summary. */
export interface MeetingWithSummary {
  readonly meeting: MeetingContent;
  readonly summary: RenderedSummary | null;
}

/**
 * Renders a meeting's summary before the transaction that stores it.
 * @param origin what a model wrote it with
 */
export const renderMeeting = async (
  meeting: MeetingContent,
  origin: SummaryOrigin | null = null,
): Promise<MeetingWithSummary> => ({
  meeting,
  summary: meeting.summary ? await renderSummary({ ...meeting.summary, origin }) : null,
});

/** Returns a meeting's duration in ms, from its times or else its transcript; null if it has neither. */
function getDuration({ startTime, endTime, transcript }: Timed): number | null {
  if (endTime !== undefined) return Date.parse(endTime) - Date.parse(startTime);
  let last: number | null = null;
  for (const { start, end } of transcript) {
    const seconds = end ?? start;
    if (seconds !== undefined) last = Math.max(last ?? 0, seconds);
  }
  return last === null ? null : last * 1000;
}
