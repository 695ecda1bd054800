import { type BackgroundLoop, extendLeases, startHeartbeat, startLoop } from "@minutes/background";
import type { TranscriptionFailureReason } from "@minutes/contract";
import { toErrorResponse } from "../../lib/errors.js";
import { DamagedAudioError } from "./audio-files.js";
import {
  advance,
  beginStoring,
  type Claimed,
  claimJob,
  complete,
  fail,
  JobLost,
  leases,
  postpone,
  recordConverted,
  toLease,
} from "./jobs.js";
import { type AudioStore, openFile, type Uploader } from "./store.js";
import { StoredRecording } from "./stored-recording.js";

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

/** A recording was left unfinished, because others wait. What was heard is kept. */
export class TurnOver extends Error {
  override name = "TurnOver";
}

/**
 * Transcribes a recording and imports the meeting. Importing again must change nothing: a killed worker's job is done again.
 * @param begin called before the import, after which the job can't be canceled; throws if it was
 * @returns the meeting's ID
 * @throws TranscriptionFailure, TurnOver
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

/** A recording in work. */
interface Running {
  readonly lost: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Transcribes waiting recordings, one of each owner at a time. Picks the least recently served workspace, then the
 * least recently served owner in it, so a recorder that names many owners gets no extra turns. A long recording lets others go
 * first after each of its parts: it only finishes those that were begun, next to the other recording. If a process dies, another one
 * takes over its recordings after the lease. A stop leaves them to the next start.
 */
export function startTranscriptionWorker(options: TranscriptionWorkerOptions): TranscriptionWorker {
  const { store, backoff = BACKOFF, interval = INTERVAL, lease = LEASE } = options;
  const { db } = store;
  const longest = Math.max(lease, ...backoff);
  const report = (error: unknown) => options.onFault?.(describe(error));
  const running = new Map<string, Running>();

  const attempt = async (claimed: Claimed, turn: Turn, lost: AbortController, stop: AbortSignal) => {
    // The process died in each attempt, possibly because of this recording.
    if (claimed.attempts > backoff.length + 1) return fail(store, claimed, "unavailable");
    const renew = async () => {
      if ((await extendLeases(db, leases, [toLease(claimed)], lease)) === 0) lost.abort();
    };
    const stopHeartbeat = startHeartbeat(renew, lease, report);
    const signal = AbortSignal.any([stop, lost.signal]);
    try {
      const meetingId = await run(options, claimed, turn, signal).finally(stopHeartbeat);
      await complete(store, claimed, meetingId);
    } catch (error) {
      if (error instanceof JobLost || lost.signal.aborted) return;
      if (stop.aborted || error instanceof TurnOver)
        return await postpone(db, claimed, { attempts: claimed.attempts - 1, delay: 0 });
      report(error);
      const failure = toFailure(error);
      const isFinal = claimed.attempts > (failure.retries ?? backoff.length);
      const delay = isFinal ? undefined : backoff[claimed.attempts - 1];
      if (delay === undefined) await fail(store, claimed, failure.reason);
      else await postpone(db, claimed, { attempts: claimed.attempts, delay });
    }
  };

  const loop = startLoop({
    step: async (signal) => {
      const claimed = await claimJob(db, lease, longest);
      if (!claimed) return interval;
      const { id } = claimed;
      const turn = new Turn((heard, parts) => advance(db, claimed, { heard, parts, longest }));
      const lost = new AbortController();
      // After a lost lease, another attempt can have its place.
      const leave = () => running.get(id)?.lost === lost && running.delete(id);
      const ended = attempt(claimed, turn, lost, signal).finally(leave);
      running.set(id, { lost, ended });
      await Promise.race([ended, turn.over]);
      if (turn.isOver) void ended.catch(report).finally(loop.wake);
      return 0;
    },
    onFault: report,
    faultPause: interval,
  });
  return {
    wake: loop.wake,
    stop: async () => {
      await loop.stop();
      await Promise.allSettled([...running.values()].map(({ ended }) => ended));
    },
    abort: (id) => running.get(id)?.lost.abort(),
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

/** The time in which a recording is transcribed until others go first. */
class Turn {
  #isOver = false;
  #end = () => {};
  readonly over = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  /** @param save records the progress; resolves to true if others wait */
  constructor(private readonly save: (heard: number, parts: number) => Promise<boolean>) {}

  get isOver(): boolean {
    return this.#isOver;
  }

  async advance(heard: number, parts: number): Promise<void> {
    const othersWait = await this.save(heard, parts);
    if (!othersWait || heard === parts) return;
    this.#isOver = true;
    this.#end();
  }
}

async function run(
  { store, transcribe }: TranscriptionWorkerOptions,
  claimed: Claimed,
  turn: Turn,
  signal: AbortSignal,
): Promise<string> {
  const { id, name, modifiedAt, userId, workspaceId } = claimed;
  const uploader = { ...JSON.parse(claimed.uploader), workspaceId, userId } as Uploader;
  const recording = new StoredRecording(store.files, openFile(store, claimed), turn, (bytes) =>
    recordConverted(store.db, claimed, bytes),
  );
  const begin = () => beginStoring(store.db, claimed);
  const job = { id, uploader, ownerId: userId, name: name ?? "", modifiedAt };
  return transcribe(job, recording, begin, signal);
}
