import {
  type BackgroundLoop,
  claimLeases,
  extendLeases,
  secondsFromNow,
  startHeartbeat,
  startLoop,
} from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { toErrorResponse } from "../errors.js";
import { ageInSeconds, eraseRecording, isExpired, RECORDING_DAYS } from "../recordings/index.js";
import { lockMembership } from "../workspaces/index.js";
import { completeMeeting, renderMeeting } from "./complete-meeting.js";
import type { MeetingContent } from "./store-meeting.js";
import type { GeneratedSummary, Summariser } from "./summariser.js";

const { recordingDrafts, recordings } = schema;

export interface RecordingWorkerOptions {
  readonly db: Database;
  /** Null: recordings that still wait from before it was turned off are completed without a summary. */
  readonly summariser: Summariser | null;
  /** Called with what the log may say when an attempt failed. */
  readonly onFault?: (fault: string) => void;
  /** Seconds before each further attempt; after the last, the meeting is completed without a summary. */
  readonly backoff?: readonly number[];
  /** Days after its start in which a recording may be completed in another workspace than it was started in. */
  readonly recordingExpiryDays?: number;
  /** Milliseconds between two looks for recordings that a process left when it died. */
  readonly interval?: number;
  /** Seconds without a renewal after which another worker takes over a recording. */
  readonly lease?: number;
}

/** The worker that completes recordings. A stop ends the summary under way and leaves its recording to the next start. */
export type Processing = BackgroundLoop;

const BACKOFF = [10, 60, 600, 3_600];
const INTERVAL = 5_000;
const LEASE = 900;

interface WaitingRecording {
  readonly recordingId: string;
  readonly content: string;
  readonly attempts: number;
}

interface Retry {
  /** Failed attempts so far. */
  readonly attempts: number;
  /** Seconds until the next one. */
  readonly delay: number;
}

const leases = {
  table: recordingDrafts,
  key: recordingDrafts.recordingId,
  until: recordingDrafts.dueAt,
};

/**
 * Completes waiting recordings, one at a time over all processes. A summary is made with no transaction open. When a
 * process dies, another one takes its recording after the lease; the first to complete it is the only one.
 */
export function startRecordingWorker(options: RecordingWorkerOptions): Processing {
  const {
    db,
    summariser,
    backoff = BACKOFF,
    interval = INTERVAL,
    lease = LEASE,
    recordingExpiryDays = RECORDING_DAYS,
  } = options;
  const report = (error: unknown, otherwise: string) =>
    options.onFault?.(toErrorResponse(error).fault ?? otherwise);

  /** Resolves to null once the recording is completed. */
  const attempt = async (waiting: WaitingRecording, signal: AbortSignal): Promise<Retry | null> => {
    const { recordingId, content, attempts } = waiting;
    const meeting = JSON.parse(content) as MeetingContent;
    let generated: GeneratedSummary = {};
    try {
      if (summariser) generated = await summariser(meeting, signal);
    } catch (error) {
      if (signal.aborted) return { attempts, delay: 0 };
      report(error, "summary refused");
      const delay = backoff[attempts];
      if (delay !== undefined) return { attempts: attempts + 1, delay };
    }
    await completeWaiting(db, recordingId, withGeneratedSummary(meeting, generated), recordingExpiryDays);
    return null;
  };

  return startLoop({
    step: async (signal) => {
      const waiting = await claimRecording(db, lease);
      if (!waiting) return interval;
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

async function claimRecording(db: Database, lease: number): Promise<WaitingRecording | undefined> {
  const { recordingId, content, attempts, dueAt } = recordingDrafts;
  const [claimed] = await claimLeases<WaitingRecording>(db, leases, {
    where: sql`${dueAt} <= now()`,
    orderBy: sql`${dueAt}`,
    limit: 1,
    lease,
    returning: { recordingId, content, attempts },
  });
  return claimed;
}

const scheduleRetry = (db: Database, recordingId: string, { attempts, delay }: Retry) =>
  db
    .update(recordingDrafts)
    .set({ attempts, dueAt: secondsFromNow(delay), updatedAt: sql`now()` })
    .where(eq(recordingDrafts.recordingId, recordingId));

/** Adds what was generated to a meeting, except where the recorder sent its own. */
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
 * Completes a waiting recording, unless another worker has, or it was deleted with its owner. One that expired while its
 * owner moved to another workspace is erased: it does not show there what was recorded elsewhere.
 */
async function completeWaiting(
  db: Database,
  recordingId: string,
  meeting: MeetingContent,
  recordingExpiryDays: number,
): Promise<void> {
  const rendered = await renderMeeting(meeting);
  await db.transaction(async (tx) => {
    const [draft] = await tx
      .select({ userId: recordingDrafts.userId })
      .from(recordingDrafts)
      .where(eq(recordingDrafts.recordingId, recordingId));
    if (!draft) return;
    const owner = await lockMembership(tx, draft.userId);
    const [waiting] = await tx
      .select({ state: recordings.state, workspaceId: recordings.workspaceId, ageSeconds: ageInSeconds })
      .from(recordings)
      .where(eq(recordings.id, recordingId))
      .for("update");
    if (waiting?.state !== "processing") return;
    if (waiting.workspaceId !== owner.workspaceId && isExpired(waiting.ageSeconds, recordingExpiryDays)) {
      await eraseRecording(tx, recordingId);
    } else await completeMeeting(tx, recordingId, owner, rendered);
  });
}
