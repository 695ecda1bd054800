import { startEvery } from "@minutes/background";
import { LIMITS, MESSAGES, type TranscriptionFailureReason } from "@minutes/contract";
import {
  ApiError,
  ConcurrencyLimit,
  findTranscribed,
  getAccount,
  importRecording,
  type Keyring,
  listVocabulary,
  type SummaryQueue,
  toErrorResponse,
  uploadMeeting,
} from "@minutes/core";
import {
  AudioFiles,
  type AudioStore,
  releaseLeases,
  removeOrphans,
  type StoredRecording,
  startTranscriptionWorker,
  type Transcribe,
  TranscriptionFailure,
  type TranscriptionWorkerOptions,
  type UploadedAudio,
  type Uploader,
} from "@minutes/core/transcriptions";
import { type Database, ExplainedError } from "@minutes/db";
import { detectStoredAudio } from "@minutes/transcripts/audio";
import type { Logger } from "pino";
import { checkRecording } from "../import/import-audio.js";
import type { CheckedMeeting, Failure } from "../import/outcome.js";
import { deriveFileId } from "../import/parse-file.js";
import type { OpenTranscriber } from "../transcriber/choose.js";
import { AT_ONCE, type Hear, hearRecording, type LongAudio, withAudio } from "./hear.js";
import { createKeep } from "./keep-audio.js";
import type { StreamedAudio } from "./stream-mp4.js";

/** Interval in ms at which files are deleted whose row is gone. */
const ORPHANS = 60_000;

/** Receives and transcribes uploaded audio. */
export interface AudioService extends UploadedAudio {
  readonly store: AudioStore;
  /** Tells the worker that a recording is waiting. */
  wake(): void;
  /** Stops; the current recording is transcribed after the next start. */
  stop(): Promise<void>;
}

export interface Surroundings {
  readonly db: Database;
  readonly background: Database;
  /** True if no other process can have the database open. */
  readonly alone: boolean;
  readonly directory: string;
  readonly keyring: Keyring;
  readonly transcriber: Omit<OpenTranscriber, "maxBytes">;
  readonly summaries: SummaryQueue;
  /** How recordings above the transcriber's limit are heard; without, they are refused. */
  readonly long?: LongAudio | null;
  /** Waits other than the usual ones. */
  readonly waits?: Pick<TranscriptionWorkerOptions, "backoff" | "interval" | "lease">;
}

/**
 * Starts to transcribe uploaded audio.
 * @throws ExplainedError if the directory can't be created
 */
export async function startTranscribing(surroundings: Surroundings, log: Logger): Promise<AudioService> {
  const { db, background, alone, directory, keyring, long, transcriber, waits } = surroundings;
  const files = new AudioFiles(directory);
  await files.prepare().catch((error: NodeJS.ErrnoException) => {
    throw new ExplainedError(`AUDIO_DIR ${directory} can't be used: ${error.code ?? "unknown"}.`);
  });
  const maxBytes = long ? LIMITS.longAudioBytes : LIMITS.audioBytes;
  const store = { db, files, keyring, detect: detectStoredAudio, maxBytes };
  const jobs = { ...store, db: background };
  if (alone) await releaseLeases(jobs);
  const worker = startTranscriptionWorker({
    ...waits,
    store: jobs,
    transcribe: createTranscribe(surroundings, log),
    onFault: (fault) => log.warn({ fault }, "transcribing a recording failed"),
  });
  const sweep = startEvery(
    ORPHANS,
    () => removeOrphans(jobs),
    (error) => log.error({ fault: toErrorResponse(error).fault }, "removal of abandoned audio failed"),
  );
  return {
    store,
    wake: worker.wake,
    remove: (id) => {
      worker.abort(id);
      return files.remove(id);
    },
    stop: async () => {
      await Promise.all([worker.stop(), sweep.stop()]);
      transcriber.stop();
    },
  };
}

/** Creates the job that turns a recording into a meeting, as importing the file does, and keeps its audio if the workspace opted in. */
function createTranscribe(surroundings: Surroundings, log: Logger): Transcribe {
  const { background: db, transcriber, summaries, long } = surroundings;
  const { transcribe } = transcriber;
  const keep = createKeep(surroundings, log);
  // A long recording finishes its part while another one has the turn.
  const requests = new ConcurrencyLimit(AT_ONCE, Number.POSITIVE_INFINITY);
  return async ({ id, uploader, ownerId, name, modifiedAt }, recording, begin, signal) => {
    const { email: owner } = await getAccount(db, ownerId).catch(failAsRefused);
    const meeting = await withAudio(recording, async (audio) => {
      const externalId = await identify(recording, owner, audio, long?.above ?? audio.size);
      const source = { name, modifiedAt, bytes: NOTHING, externalId };
      const unheard = toMeeting(checkRecording(source, [], { owner }));
      const known = await findTranscribed(db, uploader, unheard).catch(failAsRefused);
      if (known) return known;
      const vocabulary = await listVocabulary(db, { userId: ownerId, workspaceId: uploader.workspaceId });
      const hear: Hear = (read, extension) =>
        requests.run(async () => {
          signal.throwIfAborted();
          return transcribe({ bytes: await read(), extension, vocabulary }, signal);
        });
      const segments = await hearRecording(recording, audio, hear, long ?? null, signal);
      return toMeeting(checkRecording(source, segments, { owner }));
    });
    if ("transcript" in meeting && meeting.transcript.length === 0)
      throw new TranscriptionFailure("silent", 0);
    await begin();
    const meetingId =
      "transcript" in meeting
        ? (await store(db, uploader, meeting, summaries).catch(failAsRefused)).meetingId
        : meeting.meetingId;
    const { workspaceId } = uploader;
    await keep(recording, { meetingId, ownerId, workspaceId, transcriptionId: id }, signal);
    return meetingId;
  };
}

/** Derives the ID of a recording's meeting. That of a long one is kept, so that a turn doesn't begin with reading all of it. */
async function identify(
  recording: StoredRecording,
  owner: string,
  { size, stream }: StreamedAudio,
  above: number,
): Promise<string> {
  if (size <= above) return deriveFileId(owner, stream());
  const kept = await recording.recall<{ owner: string; externalId: string }>("identity");
  if (kept?.owner === owner) return kept.externalId;
  const externalId = await deriveFileId(owner, stream());
  await recording.keep("identity", { owner, externalId });
  return externalId;
}

/** The ID of a recording's meeting is derived before, from audio that can be too long for memory. */
const NOTHING = new Uint8Array();

const store = (
  db: Database,
  uploader: Uploader,
  meeting: Parameters<typeof importRecording>[2],
  summaries: SummaryQueue,
) =>
  uploader.kind === "user"
    ? uploadMeeting(db, uploader, meeting, summaries)
    : importRecording(db, uploader, meeting, summaries);

function toMeeting(checked: CheckedMeeting | Failure) {
  if ("error" in checked) throw new TranscriptionFailure("invalid", 0);
  return { ...checked.input, assumed: checked.assumed };
}

/** Reasons of refused imports. */
const REASONS: Readonly<Partial<Record<string, TranscriptionFailureReason>>> = {
  [MESSAGES.deletedMeeting]: "deleted",
  [MESSAGES.conflictingMeeting]: "conflict",
  [MESSAGES.ownerNotFound]: "owner",
  [MESSAGES.userNotFound]: "owner",
};

/** Converts the refusal of an import to its reason. @throws it, or any other error */
function failAsRefused(error: unknown): never {
  const reason = error instanceof ApiError ? REASONS[error.message] : undefined;
  throw reason ? new TranscriptionFailure(reason, 0) : error;
}
