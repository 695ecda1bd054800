import { startEvery } from "@minutes/background";
import { MESSAGES, type TranscriptionFailureReason } from "@minutes/contract";
import {
  ApiError,
  createTranscriber,
  findTranscribed,
  getAccount,
  importRecording,
  type Keyring,
  listVocabulary,
  type SpokenSegment,
  type SummaryQueue,
  type Transcriber,
  TranscriberError,
  type TranscriberOptions,
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
import { detectAudio } from "@minutes/transcripts/audio";
import type { Logger } from "pino";
import { checkRecording } from "./import/import-audio.js";
import type { CheckedMeeting, Failure } from "./import/outcome.js";

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
  readonly transcriber: TranscriberOptions;
  readonly summaries: SummaryQueue;
  /** Waits other than the usual ones. */
  readonly waits?: Pick<TranscriptionWorkerOptions, "backoff" | "interval" | "lease">;
}

/**
 * Starts to transcribe uploaded audio.
 * @throws ExplainedError if the directory can't be created
 */
export async function startTranscribing(
  { db, background, alone, directory, keyring, transcriber, summaries, waits }: Surroundings,
  log: Logger,
): Promise<AudioService> {
  const files = new AudioFiles(directory);
  await files.prepare().catch((error: NodeJS.ErrnoException) => {
    throw new ExplainedError(`AUDIO_DIR ${directory} can't be used: ${error.code ?? "unknown"}.`);
  });
  const store = { db, files, keyring, detect: detectAudio };
  const jobs = { ...store, db: background };
  if (alone) await releaseLeases(jobs);
  const worker = startTranscriptionWorker({
    ...waits,
    store: jobs,
    transcribe: createTranscribe(background, transcriber, summaries),
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
    stop: async () => void (await Promise.all([worker.stop(), sweep.stop()])),
  };
}

/** Creates what turns a recording into a meeting: the same that an import of the file does. */
function createTranscribe(db: Database, options: TranscriberOptions, summaries: SummaryQueue): Transcribe {
  const transcribe = createTranscriber(options);
  return async ({ uploader, ownerId, name, modifiedAt }, recording, begin, signal) => {
    const bytes = await recording.read();
    const audio = detectAudio(bytes);
    if (!audio) throw new TranscriptionFailure("damaged", 0);
    const { email: owner } = await getAccount(db, ownerId).catch(failAsRefused);
    const source = { name, modifiedAt, bytes };
    const unheard = toMeeting(checkRecording(source, [], { owner }));
    const known = await findTranscribed(db, uploader, unheard).catch(failAsRefused);
    if (known) return known.meetingId;
    const vocabulary = await listVocabulary(db, { userId: ownerId, workspaceId: uploader.workspaceId });
    const spoken = { bytes, extension: audio.format, vocabulary };
    const segments = await hearOnce(recording, () => transcribe(spoken, signal));
    const meeting = toMeeting(checkRecording(source, segments, { owner }));
    if (meeting.transcript.length === 0) throw new TranscriptionFailure("silent", 0);
    await begin();
    const { meetingId } = await store(db, uploader, meeting, summaries).catch(failAsRefused);
    return meetingId;
  };
}

/** Name under which the transcriber's answer is kept. */
const ANSWER = "answer";

/** Transcribes a recording, unless an earlier attempt did: the answer is kept until the meeting is stored. */
async function hearOnce(
  recording: StoredRecording,
  hear: () => ReturnType<Transcriber>,
): Promise<readonly SpokenSegment[]> {
  const kept = await recording.recall(ANSWER);
  if (kept) return JSON.parse(kept.toString()) as SpokenSegment[];
  const segments = await hear().catch((error: unknown) => {
    if (!(error instanceof TranscriberError)) throw error;
    if (error.about === "recording") throw new TranscriptionFailure("refused", 0);
    throw new TranscriptionFailure("unavailable", error.about === "time" ? 1 : undefined);
  });
  await recording.keep(ANSWER, Buffer.from(JSON.stringify(segments)));
  return segments;
}

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
