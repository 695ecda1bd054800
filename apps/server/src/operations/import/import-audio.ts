import { startEvery } from "@minutes/background";
import { TRANSCRIPTION_FAILURES } from "@minutes/contract";
import { type SpokenSegment, TranscriberError } from "@minutes/core";
import { readJson, type Transcript } from "@minutes/transcripts";
import { findLongAudio } from "../audio/hear.js";
import { toRefusal } from "../refusal.js";
import type { OpenTranscriber } from "../transcriber/choose.js";
import {
  createCheck,
  describeRefusal,
  type ImportHints,
  importMeetings,
  isCheck,
  type StoreMeeting,
} from "./import-meetings.js";
import type { RecordingFile } from "./open-recording.js";
import type {
  AssumedField,
  AssumedMeeting,
  CheckedMeeting,
  Failure,
  ImportCheck,
  ImportOptions,
  ImportTarget,
  Outcome,
  SourceFile,
} from "./outcome.js";
import { checkTranscript } from "./parse-file.js";
import { checkContent, hearFile, identify } from "./recording-file.js";
import { type Parts, Unfinished } from "./unfinished.js";

/** How recordings are transcribed. */
export interface Transcription {
  /** Opens the transcriber; null without one. Called for audio only. */
  readonly getTranscriber: () => Promise<OpenTranscriber | null>;
  /** Where programs are, as in `PATH`. */
  readonly path: string | undefined;
  /** Returns the directory in which transcriptions are kept until they are finished. */
  readonly getDirectory: () => string;
  /** Called every second while a recording is transcribed, after each part, and with null at its end. */
  readonly onProgress: (running: RunningTranscription | null) => void;
}

/** Progress of a file's transcription. */
export interface RunningTranscription {
  readonly file: string;
  readonly seconds: number;
  /** Null for a recording that is transcribed whole, and before the first part of another one. */
  readonly parts: Parts | null;
}

const NO_TRANSCRIBER =
  "Audio needs a transcriber: run `minutes transcriber use whisper-base`, or set TRANSCRIBER_URL and TRANSCRIBER_MODEL (docs/audio.md).";

/** Interval between reports of progress, in ms. */
const TICK = 1_000;

/**
 * Transcribes a recording and imports the meeting. Everything that can be refused is checked before: a transcription
 * takes minutes and can cost money.
 */
export async function* importAudio(
  target: ImportTarget | ImportCheck | null,
  file: RecordingFile,
  options: ImportOptions,
  transcription: Transcription,
  hints: ImportHints,
): AsyncGenerator<Outcome> {
  const fail = (error: string): Failure => ({ file: file.source.name, index: null, line: null, error });
  const transcriber = await transcription.getTranscriber();
  if (!transcriber) return yield { ...fail(NO_TRANSCRIBER), passes: true };
  const long = await findLongAudio(transcription.path, transcriber.maxBytes);
  try {
    const audio = { ...file, format: await checkContent(file, long) };
    const { externalId, ...identity } = await identify(options.owner ?? "", file);
    const source = { ...file.source, externalId };
    const empty = checkRecording(source, [], options);
    if ("error" in empty || !target || isCheck(target))
      return yield* importMeetings(
        [describeUnheard(empty)],
        isCheck(target) ? createCheck(target, options) : null,
      );
    const meeting = { ...empty.input, assumed: empty.assumed, ...options.overwrite };
    const needed = await isNeeded(target, meeting, hints);
    if (needed === false) {
      // An import that was killed after it had stored the meeting left its progress.
      const left = await Unfinished.open(transcription.getDirectory(), identity, () => {});
      await left.forget();
      if (!options.share) return yield "unchanged";
      // Shares it with speakers confirmed since it was imported.
      const share: StoreMeeting = (one) => target.importMeeting({ ...one, share: true });
      return yield* importMeetings([empty], share, hints);
    }
    if (needed !== true) return yield fail(needed);

    const vocabulary = await target.getVocabulary(meeting.ownerEmail);
    const ticking = startTicking(source.name, transcription.onProgress);
    const unfinished = await Unfinished.open(transcription.getDirectory(), identity, ticking.setParts);
    try {
      const segments = await hearFile(audio, long, unfinished, async (read, extension) =>
        transcriber.transcribe({ bytes: await read(), extension, vocabulary }, new AbortController().signal),
      ).finally(ticking.stop);
      const checked = checkRecording(source, segments, options);
      const store: StoreMeeting = (one) =>
        target.importMeeting({ ...one, ...options.overwrite, share: options.share });
      const isSilent = !("error" in checked) && checked.input.transcript.length === 0;
      if (isSilent) yield fail(TRANSCRIPTION_FAILURES.silent);
      // Otherwise the progress stays, so a retry doesn't pay for the transcription again.
      if (isSilent || (yield* storeHeard(checked, store, hints))) await unfinished.forget();
    } finally {
      await unfinished.close();
    }
  } catch (error) {
    if (!(error instanceof TranscriberError)) throw error;
    yield { ...fail(error.message), ...(error.about === "service" ? { passes: true } : {}) };
  }
}

/** Stores a meeting. @returns false if it was refused, or the server failed */
async function* storeHeard(
  checked: CheckedMeeting | Failure,
  store: StoreMeeting,
  hints: ImportHints,
): AsyncGenerator<Outcome, boolean> {
  let isStored = true;
  for await (const outcome of importMeetings([checked], store, hints)) {
    if (typeof outcome === "object" && "error" in outcome) isStored = false;
    yield outcome;
  }
  return isStored;
}

/** Returns false if the import would be a no-op, or the error message if it would be refused. */
async function isNeeded(
  target: ImportTarget,
  meeting: AssumedMeeting,
  hints: ImportHints,
): Promise<boolean | string> {
  try {
    return await target.isNeeded(meeting);
  } catch (error) {
    const refused = toRefusal(error);
    if (!refused) throw error;
    return describeRefusal(refused, meeting.externalId, hints);
  }
}

/** Reports every second how far a transcription is, until it is stopped. */
function startTicking(file: string, onProgress: Transcription["onProgress"]) {
  const started = performance.now();
  let parts: Parts | null = null;
  const report = async () =>
    onProgress({ file, seconds: Math.floor((performance.now() - started) / 1_000), parts });
  const ticking = startEvery(TICK, report, () => {});
  return {
    setParts: (now: Parts) => {
      parts = now;
      void report();
    },
    stop: async () => {
      await ticking.stop();
      onProgress(null);
    },
  };
}

/** Validates a recording's meeting. What was recognized is not part of what tells a repeated import from another meeting. */
export function checkRecording(
  source: SourceFile,
  segments: readonly SpokenSegment[],
  options: ImportOptions,
): CheckedMeeting | Failure {
  const checked = checkTranscript(source, toTranscript(segments), options);
  if ("error" in checked) return checked;
  const assumed = new Set<AssumedField>([...checked.assumed, "transcript", "endTime"]);
  return { ...checked, assumed: [...assumed] };
}

/** Converts segments as those of a file by Whisper. Speech of unnamed speakers belongs to an unknown one. */
function toTranscript(segments: readonly SpokenSegment[]): Transcript {
  const [meeting] = segments.length > 0 ? readJson({ segments }).meetings : [];
  return meeting && "transcript" in meeting
    ? { ...meeting.transcript, unassigned: [] }
    : { turns: [], unassigned: [] };
}

/** Tells in a dry run that a recording was not transcribed. */
const describeUnheard = (checked: CheckedMeeting | Failure): CheckedMeeting | Failure =>
  "error" in checked
    ? checked
    : {
        ...checked,
        reading: { ...checked.reading, remarks: ["a recording, transcribed when it is imported"] },
      };
