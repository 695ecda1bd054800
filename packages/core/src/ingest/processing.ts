import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { answerFor } from "../errors.js";
import { lockMembership } from "../workspaces/index.js";
import { finish } from "./finish.js";
import type { Content } from "./store-meeting.js";
import type { Made, Summariser } from "./summariser.js";

const { recordingDrafts, recordings } = schema;

export interface ProcessingOptions {
  readonly db: Database;
  /** Null: what still waits, from before it was turned off, is completed without a summary. */
  readonly summariser: Summariser | null;
  /** Told what the log may say when an attempt failed. */
  readonly onFault?: (fault: string) => void;
  /** Seconds before each further attempt; after the last, the meeting is completed without a summary. */
  readonly backoff?: readonly number[];
  /** Milliseconds between looks for work that nobody announced: left by a process that died. */
  readonly interval?: number;
  /** Seconds without a sign of life after which another worker takes over what one has taken. */
  readonly lease?: number;
}

/** The worker that completes recordings which wait for a summary. */
export interface Processing {
  wake(): void;
  /** Takes nothing more; resolves when what is under way has ended, at the latest after a summary's own deadline. */
  stop(): Promise<void>;
}

const BACKOFF = [10, 60, 600, 3_600];
const INTERVAL = 5_000;
const LEASE = 900;

interface Claimed {
  readonly recordingId: string;
  readonly content: string;
  readonly attempts: number;
}

/** What an attempt that failed leaves for the next. */
interface Retry {
  readonly attempts: number;
  /** Seconds. */
  readonly delay: number;
}

const fromNow = (seconds: number) => sql`now() + ${seconds} * interval '1 second'`;

/**
 * Takes waiting recordings, one at a time over all processes, has their summary made with no transaction open, and
 * completes each in one. A process that dies leaves its recording waiting: another takes it when the lease ends,
 * and whichever completes it first is the only one.
 */
export function startProcessing(options: ProcessingOptions): Processing {
  const {
    db,
    summariser,
    onFault = () => {},
    backoff = BACKOFF,
    interval = INTERVAL,
    lease = LEASE,
  } = options;
  const aborted = new AbortController();
  let running: Promise<void> | null = null;
  let again = false;

  /** Null once the recording is completed. */
  const attempt = async ({ recordingId, content, attempts }: Claimed): Promise<Retry | null> => {
    const meeting = JSON.parse(content) as Content;
    let made: Made = {};
    try {
      if (summariser) made = await summariser(meeting, aborted.signal);
    } catch (error) {
      if (aborted.signal.aborted) return { attempts, delay: 0 };
      onFault(answerFor(error).fault ?? "summary refused");
      const delay = backoff[attempts];
      if (delay !== undefined) return { attempts: attempts + 1, delay };
    }
    await completeWaiting(db, recordingId, withMade(meeting, made));
    return null;
  };
  const pass = async () => {
    do {
      again = false;
      for (;;) {
        if (aborted.signal.aborted) return;
        const claimed = await claim(db, lease);
        if (!claimed) break;
        const endRenewal = renewLease(db, claimed.recordingId, lease, onFault);
        const retry = await attempt(claimed).finally(endRenewal);
        if (retry) await later(db, claimed.recordingId, retry);
      }
    } while (again);
  };
  const wake = () => {
    again = true;
    running ??= pass()
      // The database is away: the next look tries again.
      .catch((error) => onFault(answerFor(error).fault ?? "processing failed"))
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(wake, interval).unref();
  wake();
  return {
    wake,
    stop: async () => {
      clearInterval(timer);
      aborted.abort();
      await running;
    },
  };
}

async function claim(db: Database, lease: number): Promise<Claimed | undefined> {
  const due = sql`(select recording_id from ${recordingDrafts} where due_at <= now()
    order by due_at limit 1 for update skip locked)`;
  const [claimed] = await db
    .update(recordingDrafts)
    .set({ dueAt: fromNow(lease) })
    .where(sql`${recordingDrafts.recordingId} = ${due}`)
    .returning({
      recordingId: recordingDrafts.recordingId,
      content: recordingDrafts.content,
      attempts: recordingDrafts.attempts,
    });
  return claimed;
}

/**
 * Keeps what this worker has taken for as long as it lives: a summary in many parts takes longer than a lease.
 * @returns what ends it, and waits for a renewal under way, which would otherwise put off the next attempt.
 */
function renewLease(db: Database, recordingId: string, lease: number, onFault: (fault: string) => void) {
  let renewal: Promise<unknown> = Promise.resolve();
  const renew = () =>
    db
      .update(recordingDrafts)
      .set({ dueAt: fromNow(lease) })
      .where(eq(recordingDrafts.recordingId, recordingId))
      // The database is away: the next renewal tries again.
      .catch((error: unknown) => onFault(answerFor(error).fault ?? "lease not renewed"));
  const timer = setInterval(
    () => {
      renewal = renewal.then(renew);
    },
    (lease * 1000) / 3,
  );
  return async () => {
    clearInterval(timer);
    await renewal;
  };
}

const later = (db: Database, recordingId: string, { attempts, delay }: Retry) =>
  db
    .update(recordingDrafts)
    .set({ attempts, dueAt: fromNow(delay), updatedAt: sql`now()` })
    .where(eq(recordingDrafts.recordingId, recordingId));

/** What the recorder sent wins over what was made. */
const withMade = (meeting: Content, made: Made): Content => ({
  ...meeting,
  ...(meeting.generatedTitle === undefined && made.generatedTitle !== undefined
    ? { generatedTitle: made.generatedTitle }
    : {}),
  ...(meeting.summary === undefined && made.summary !== undefined ? { summary: made.summary } : {}),
  tasks: meeting.tasks.length > 0 ? meeting.tasks : (made.tasks ?? []),
});

/** Completes a waiting recording, unless somebody else has, or it is gone with its owner. */
async function completeWaiting(db: Database, recordingId: string, meeting: Content): Promise<void> {
  await db.transaction(async (tx) => {
    const [draft] = await tx
      .select({ userId: recordingDrafts.userId })
      .from(recordingDrafts)
      .where(eq(recordingDrafts.recordingId, recordingId));
    if (!draft) return;
    const owner = await lockMembership(tx, draft.userId);
    const [waiting] = await tx
      .select({ state: recordings.state })
      .from(recordings)
      .where(eq(recordings.id, recordingId))
      .for("update");
    if (waiting?.state === "processing") await finish(tx, recordingId, owner, meeting);
  });
}
