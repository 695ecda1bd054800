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
}

/** The worker that completes recordings which wait for a summary. */
export interface Processing {
  wake(): void;
  /** Takes nothing more; resolves when what is under way has ended, at the latest after a summary's own deadline. */
  stop(): Promise<void>;
}

const BACKOFF = [10, 60, 600, 3_600];
const INTERVAL = 5_000;
/** Seconds after which another worker may take what one has taken; longer than any attempt. */
const LEASE = 900;

interface Claimed {
  readonly recordingId: string;
  readonly content: string;
  readonly attempts: number;
}

/**
 * Takes waiting recordings, one at a time over all processes, has their summary made with no transaction open, and
 * completes each in one. A process that dies leaves its recording waiting: another takes it when the lease ends,
 * and whichever completes it first is the only one.
 */
export function startProcessing(options: ProcessingOptions): Processing {
  const { db, summariser, onFault = () => {}, backoff = BACKOFF, interval = INTERVAL } = options;
  const aborted = new AbortController();
  let running: Promise<void> | null = null;
  let again = false;

  const attempt = async ({ recordingId, content, attempts }: Claimed) => {
    const meeting = JSON.parse(content) as Content;
    let made: Made = {};
    try {
      if (summariser) made = await summariser(meeting, aborted.signal);
    } catch (error) {
      if (aborted.signal.aborted) return void (await later(db, recordingId, attempts, 0));
      onFault(answerFor(error).fault ?? "summary refused");
      const delay = backoff[attempts];
      if (delay !== undefined) return void (await later(db, recordingId, attempts + 1, delay));
    }
    await completeWaiting(db, recordingId, withMade(meeting, made));
  };
  const pass = async () => {
    do {
      again = false;
      for (;;) {
        if (aborted.signal.aborted) return;
        const claimed = await claim(db);
        if (!claimed) break;
        await attempt(claimed);
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

async function claim(db: Database): Promise<Claimed | undefined> {
  const due = sql`(select recording_id from ${recordingDrafts} where due_at <= now()
    order by due_at limit 1 for update skip locked)`;
  const [claimed] = await db
    .update(recordingDrafts)
    .set({ dueAt: sql`now() + ${LEASE} * interval '1 second'` })
    .where(sql`${recordingDrafts.recordingId} = ${due}`)
    .returning({
      recordingId: recordingDrafts.recordingId,
      content: recordingDrafts.content,
      attempts: recordingDrafts.attempts,
    });
  return claimed;
}

const later = (db: Database, recordingId: string, attempts: number, delay: number) =>
  db
    .update(recordingDrafts)
    .set({ attempts, dueAt: sql`now() + ${delay} * interval '1 second'`, updatedAt: sql`now()` })
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
