import {
  type BackgroundLoop,
  claimLeases,
  extendLeases,
  isClaimable,
  secondsFromNow,
  startHeartbeat,
  startLoop,
} from "@minutes/background";
import type { SummaryOrigin } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { toErrorResponse } from "../lib/errors.js";
import { lockMembership } from "../workspaces/index.js";
import { chooseOrigin } from "./choose-origin.js";
import { completeMeeting, type MeetingWithSummary, renderMeeting } from "./complete-meeting.js";
import { ageInSeconds, isExpired } from "./expiry.js";
import { writeRequestedSummary } from "./requested-summaries.js";
import type { MeetingContent } from "./store-meeting.js";
import type { GeneratedSummary, Summariser } from "./summariser.js";
import { eraseRecording } from "./unfinished.js";

const { recordingDrafts, recordings } = schema;

/** The queue of recordings that were completed without a summary. */
export interface SummaryQueue {
  /** False: there is no summariser, and such recordings stay without a summary. */
  readonly enabled: boolean;
  /** Tells the worker that a recording is waiting. */
  wake(): void;
}

/** Without a summariser, nothing waits. */
export const NO_SUMMARIES: SummaryQueue = { enabled: false, wake: () => {} };

export interface RecordingWorkerOptions {
  readonly db: Database;
  /** Null: recordings still waiting from before it was turned off are completed without a summary. */
  readonly summariser: Summariser | null;
  /** Called with a loggable description when an attempt failed. */
  readonly onFault?: (fault: string) => void;
  /** Delays before retries in seconds; after the last one, the meeting is completed without a summary. */
  readonly backoff?: readonly number[];
  /** Days after its start within which a recording can be completed in another workspace than it was started in. */
  readonly recordingDays: number;
  /** Poll interval in ms for recordings of dead processes. */
  readonly interval?: number;
  /** Seconds without a renewal after which another worker takes over a recording. */
  readonly lease?: number;
}

/**
 * The worker that completes recordings. A stop aborts the current summary and leaves its recording to the next start.
 */
export type Processing = BackgroundLoop;

const BACKOFF = [10, 60, 600, 3_600];
const INTERVAL = 5_000;
const LEASE = 900;

interface WaitingRecording {
  readonly recordingId: string;
  /** The owner. */
  readonly userId: string;
  readonly content: string;
  readonly attempts: number;
}

interface Retry {
  /** Number of failed attempts. */
  readonly attempts: number;
  /** Delay before the next attempt, in seconds. */
  readonly delay: number;
}

const leases = {
  table: recordingDrafts,
  key: recordingDrafts.recordingId,
  until: recordingDrafts.dueAt,
};

/**
 * Completes waiting recordings, then writes requested summaries, one at a time across processes. A summary is
 * generated without an open transaction. If a process dies, another one takes over its recording after the lease; only the first to
 * complete it succeeds.
 */
export function startRecordingWorker(options: RecordingWorkerOptions): Processing {
  const { db, summariser, backoff = BACKOFF, interval = INTERVAL, lease = LEASE, recordingDays } = options;
  const report = (error: unknown, otherwise: string) =>
    options.onFault?.(toErrorResponse(error).fault ?? otherwise);

  /** Resolves to null once the recording is completed. */
  const attempt = async (waiting: WaitingRecording, signal: AbortSignal): Promise<Retry | null> => {
    const { content, attempts } = waiting;
    const meeting = JSON.parse(content) as MeetingContent;
    let generated: GeneratedSummary = {};
    let origin: SummaryOrigin | null = null;
    try {
      if (summariser) {
        origin = await chooseOrigin(db, waiting.userId, meeting);
        generated = await summariser({ ...meeting, origin }, signal);
      }
    } catch (error) {
      if (signal.aborted) return { attempts, delay: 0 };
      report(error, "summary refused");
      const delay = backoff[attempts];
      if (delay !== undefined) return { attempts: attempts + 1, delay };
    }
    const summarised = withGeneratedSummary(meeting, generated);
    const rendered = await renderMeeting(summarised, meeting.summary ? null : origin);
    const isCurrent = await completeWaiting(db, waiting, rendered, recordingDays);
    return isCurrent ? null : { attempts: 0, delay: 0 };
  };

  return startLoop({
    step: async (signal) => {
      const waiting = await claimRecording(db, lease, Math.max(lease, ...backoff));
      if (!waiting) {
        const requests = { db, summariser, backoff, lease, report };
        return (await writeRequestedSummary(requests, signal)) ? 0 : interval;
      }
      const { recordingId } = waiting;
      // A summary in many parts takes longer than a lease.
      const stopHeartbeat = startHeartbeat(
        () => extendLeases(db, leases, [{ key: recordingId }], lease),
        lease,
        (error) => report(error, "lease not renewed"),
      );
      const retry = await attempt(waiting, signal).finally(stopHeartbeat);
      if (retry) await scheduleRetry(db, recordingId, retry);
      return 0;
    },
    onFault: (error) => report(error, "processing failed"),
    faultPause: interval,
  });
}

async function claimRecording(
  db: Database,
  lease: number,
  longestDelay: number,
): Promise<WaitingRecording | undefined> {
  const { recordingId, userId, content, attempts, dueAt } = recordingDrafts;
  const [claimed] = await claimLeases<WaitingRecording>(db, leases, {
    where: isClaimable(dueAt, longestDelay),
    orderBy: sql`${dueAt}`,
    limit: 1,
    lease,
    returning: { recordingId, userId, content, attempts },
  });
  return claimed;
}

const scheduleRetry = (db: Database, recordingId: string, { attempts, delay }: Retry) =>
  db
    .update(recordingDrafts)
    .set({ attempts, dueAt: secondsFromNow(delay), updatedAt: sql`now()` })
    .where(eq(recordingDrafts.recordingId, recordingId));

/** Adds generated content to a meeting, except where the recorder sent its own. */
const withGeneratedSummary = (meeting: MeetingContent, generated: GeneratedSummary): MeetingContent => {
  const generatedTitle = meeting.generatedTitle ?? generated.generatedTitle;
  const summary = meeting.summary ?? generated.summary;
  return {
    ...meeting,
    ...(generatedTitle === undefined ? {} : { generatedTitle }),
    ...(summary === undefined ? {} : { summary }),
    tasks: meeting.tasks.length > 0 ? meeting.tasks : (generated.tasks ?? []),
  };
};

/**
 * Completes a waiting recording, unless another worker has, or it was deleted with its owner. One that expired while
 * its owner moved to another workspace is erased, so that content does not move there.
 * @returns false if its content was changed by a replacement or erasure since the worker claimed it
 */
async function completeWaiting(
  db: Database,
  { recordingId, content }: WaitingRecording,
  rendered: MeetingWithSummary,
  recordingDays: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [draft] = await tx
      .select({ userId: recordingDrafts.userId })
      .from(recordingDrafts)
      .where(eq(recordingDrafts.recordingId, recordingId));
    if (!draft) return true;
    const owner = await lockMembership(tx, draft.userId, "key share");
    const [waiting] = await tx
      .select({
        state: recordings.state,
        workspaceId: recordings.workspaceId,
        content: recordingDrafts.content,
        ageSeconds: ageInSeconds,
      })
      .from(recordings)
      .innerJoin(recordingDrafts, eq(recordingDrafts.recordingId, recordings.id))
      .where(eq(recordings.id, recordingId))
      .for("update");
    if (waiting?.state !== "processing") return true;
    if (waiting.content !== content) return false;
    if (waiting.workspaceId !== owner.workspaceId && isExpired(waiting.ageSeconds, recordingDays)) {
      await eraseRecording(tx, recordingId);
    } else await completeMeeting(tx, recordingId, owner, rendered);
    return true;
  });
}
