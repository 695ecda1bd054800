import {
  type BackgroundLoop,
  extendLeases,
  isClaimable,
  secondsFromNow,
  startHeartbeat,
  startLoop,
} from "@minutes/background";
import { LIMITS, type TranscriptionFailureReason } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { recordFailureEvent } from "../../events/index.js";
import { toErrorResponse } from "../../lib/errors.js";
import { DamagedAudioError } from "./audio-files.js";
import { type AudioStore, FILE_COLUMNS, openFile, type Uploader } from "./store.js";
import { StoredRecording } from "./stored-recording.js";

const { transcriptions } = schema;

/** A recording to transcribe. */
interface TranscriptionJob {
  readonly id: string;
  /** Imports the meeting. */
  readonly uploader: Uploader;
  /** Owner of the future meeting. */
  readonly ownerId: string;
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly modifiedAt: string;
}

/** Why a recording could not become a meeting. */
export class TranscriptionFailure extends Error {
  override name = "TranscriptionFailure";
  /** @param retries maximum number of attempts after the first one; undefined if each later one can succeed */
  constructor(
    readonly reason: TranscriptionFailureReason,
    readonly retries?: number,
  ) {
    super(reason);
  }
}

/** The job was canceled or deleted, or another worker has it. */
class JobLost extends Error {
  override name = "JobLost";
}

/**
 * Transcribes a recording and imports the meeting. Importing again must change nothing: a killed worker's job is done again.
 * @param begin called before the import, after which the job can't be canceled; throws if it was
 * @returns the meeting's ID
 * @throws TranscriptionFailure
 */
export type Transcribe = (
  job: TranscriptionJob,
  recording: StoredRecording,
  begin: () => Promise<void>,
  signal: AbortSignal,
) => Promise<string>;

export interface TranscriptionWorkerOptions {
  readonly store: AudioStore;
  readonly transcribe: Transcribe;
  /** Called with a loggable description when an attempt failed. */
  readonly onFault?: (fault: string) => void;
  /** Delays before retries in seconds; after the last one, the recording has failed. */
  readonly backoff?: readonly number[];
  /** Poll interval in ms for the recordings of other processes. */
  readonly interval?: number;
  /** Seconds without a renewal after which another worker takes over a recording. */
  readonly lease?: number;
}

/** The worker that transcribes uploaded recordings. */
export interface TranscriptionWorker extends BackgroundLoop {
  /** Ends the transcription of a recording that was canceled, if this process has it. */
  abort(id: string): void;
}

const BACKOFF = [10, 60, 600, 3_600, 3_600, 3_600];
const INTERVAL = 5_000;
const LEASE = 60;

const leases = {
  table: transcriptions,
  key: transcriptions.id,
  until: transcriptions.dueAt,
  token: transcriptions.token,
};

type Claimed = NonNullable<Awaited<ReturnType<typeof claimJob>>>;

/**
 * Transcribes waiting recordings, one at a time per process and owner. Picks the least recently served workspace, then the
 * least recently served owner in it, so a recorder that names many owners gets no extra turns. If a process dies, another one
 * takes over its recording after the lease. A stop leaves the recording to the next start.
 */
export function startTranscriptionWorker(options: TranscriptionWorkerOptions): TranscriptionWorker {
  const { store, transcribe, backoff = BACKOFF, interval = INTERVAL, lease = LEASE } = options;
  const { db } = store;
  const report = (error: unknown) => options.onFault?.(describe(error));
  let running: { readonly id: string; readonly lost: AbortController } | null = null;

  const attempt = async (claimed: Claimed, stop: AbortSignal): Promise<void> => {
    // The process died in each attempt, possibly because of this recording.
    if (claimed.attempts > backoff.length + 1) return fail(store, claimed, "unavailable");
    const lost = new AbortController();
    running = { id: claimed.id, lost };
    const renew = async () => {
      if ((await extendLeases(db, leases, [toLease(claimed)], lease)) === 0) lost.abort();
    };
    const stopHeartbeat = startHeartbeat(renew, lease, report);
    const signal = AbortSignal.any([stop, lost.signal]);
    try {
      const meetingId = await run(store, transcribe, claimed, signal).finally(stopHeartbeat);
      await complete(store, claimed, meetingId);
    } catch (error) {
      if (error instanceof JobLost || lost.signal.aborted) return;
      if (stop.aborted) return await postpone(db, claimed, { attempts: claimed.attempts - 1, delay: 0 });
      report(error);
      const failure = toFailure(error);
      const isFinal = claimed.attempts > (failure.retries ?? backoff.length);
      const delay = isFinal ? undefined : backoff[claimed.attempts - 1];
      if (delay === undefined) await fail(store, claimed, failure.reason);
      else await postpone(db, claimed, { attempts: claimed.attempts, delay });
    } finally {
      running = null;
    }
  };

  const loop = startLoop({
    step: async (signal) => {
      const claimed = await claimJob(db, lease, Math.max(lease, ...backoff));
      if (!claimed) return interval;
      await attempt(claimed, signal);
      return 0;
    },
    onFault: report,
    faultPause: interval,
  });
  return {
    ...loop,
    abort: (id) => {
      if (running?.id === id) running.lost.abort();
    },
  };
}

const describe = (error: unknown): string =>
  error instanceof TranscriptionFailure
    ? error.reason
    : (toErrorResponse(error).fault ?? "recording refused");

/** Unexpected errors, such as of the database, can be over later. */
function toFailure(error: unknown): TranscriptionFailure {
  if (error instanceof TranscriptionFailure) return error;
  return error instanceof DamagedAudioError
    ? new TranscriptionFailure("damaged", 0)
    : new TranscriptionFailure("unavailable");
}

const toLease = ({ id, token }: Pick<Claimed, "id" | "token">) => ({ key: id, token });

const isHeld = ({ id, token }: Pick<Claimed, "id" | "token">): SQL | undefined =>
  and(eq(transcriptions.id, id), eq(transcriptions.token, token));

/** Claims are made one after another, so that two processes don't serve one owner, whose recordings can be the same. */
const claimJob = (db: Database, lease: number, longest: number) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('transcriptions', 0))`);
    const { attempts, createdAt, dueAt, id, modifiedAt, name, state, token, uploader } = transcriptions;
    const { startedAt, userId, workspaceId } = transcriptions;
    const served = sql`
      select user_id, max(started_at) as owner, max(max(started_at)) over (partition by workspace_id) as workspace
      from transcriptions group by workspace_id, user_id`;
    const active = sql`('transcribing', 'storing')`;
    const next = sql`(
      select ${id} from ${transcriptions} join (${served}) served on served.user_id = ${userId}
      where ${state} in ('queued', 'transcribing', 'storing') and ${isClaimable(dueAt, longest)}
        and not exists (select from ${transcriptions} o where o.user_id = ${userId} and o.id <> ${id}
          and o.state in ${active} and o.due_at > now())
      order by served.workspace nulls first, served.owner nulls first, ${createdAt}, ${id}
      limit 1)`;
    const [claimed] = await tx
      .update(transcriptions)
      .set({
        ...{ state: "transcribing", token: sql`${token} + 1`, attempts: sql`${attempts} + 1` },
        ...{ startedAt: sql`now()`, dueAt: secondsFromNow(lease), updatedAt: sql`now()` },
      })
      .where(sql`${id} = ${next}`)
      .returning({
        ...FILE_COLUMNS,
        attempts,
        modifiedAt,
        name,
        startedAt,
        token,
        uploader,
        userId,
        workspaceId,
      });
    return claimed;
  });

async function run(
  store: AudioStore,
  transcribe: Transcribe,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<string> {
  const { id, name, modifiedAt, userId, workspaceId } = claimed;
  const uploader = { ...JSON.parse(claimed.uploader), workspaceId, userId } as Uploader;
  const recording = new StoredRecording(store.files, openFile(store, claimed), () =>
    advance(store.db, claimed),
  );
  const begin = async () => {
    const held = await store.db
      .update(transcriptions)
      .set({ state: "storing", updatedAt: sql`now()` })
      .where(isHeld(claimed))
      .returning({ id: transcriptions.id });
    if (held.length === 0) throw new JobLost();
  };
  return transcribe(
    { id, uploader, ownerId: userId, name: name ?? "", modifiedAt },
    recording,
    begin,
    signal,
  );
}

/** Counts attempts from here: many kills or failures don't end a long recording that gets on. @throws JobLost */
async function advance(db: Database, claimed: Claimed): Promise<void> {
  const held = await db
    .update(transcriptions)
    .set({ attempts: 1, updatedAt: sql`now()` })
    .where(isHeld(claimed))
    .returning({ id: transcriptions.id });
  if (held.length === 0) throw new JobLost();
  claimed.attempts = 1;
}

const postpone = async (
  db: Database,
  claimed: Claimed,
  { attempts, delay }: { readonly attempts: number; readonly delay: number },
): Promise<void> => {
  await db
    .update(transcriptions)
    .set({ state: "queued", attempts, dueAt: secondsFromNow(delay), updatedAt: sql`now()` })
    .where(isHeld(claimed));
};

/** Deletes the audio and the file's name, which the meeting has. */
const complete = (store: AudioStore, claimed: Claimed, meetingId: string): Promise<void> =>
  end(store, claimed, { state: "completed", meetingId, name: null });

const fail = (store: AudioStore, claimed: Claimed, failure: TranscriptionFailureReason): Promise<void> =>
  end(store, claimed, { state: "failed", failure });

/** Deletes the key, then the file, which nobody can read anymore. The row stays for a week, to tell what became of it. */
async function end(
  { db, files }: AudioStore,
  claimed: Claimed,
  result: Partial<typeof transcriptions.$inferInsert>,
): Promise<void> {
  const { id, userId } = claimed;
  const hasEnded = await db.transaction(async (tx) => {
    const ended = await tx
      .update(transcriptions)
      .set({
        ...{ ...result, fileKey: null, dueAt: null, updatedAt: sql`now()` },
        expiresAt: secondsFromNow(LIMITS.audioJobSeconds),
      })
      .where(isHeld(claimed))
      .returning({ id: transcriptions.id });
    if (ended.length > 0 && result.state === "failed")
      await recordFailureEvent(tx, { id, externalId: null, userId });
    return ended.length > 0;
  });
  if (hasEnded) await files.remove(id);
}
