import { startEvery } from "@minutes/background";
import { MESSAGES, TRANSCRIPTION_FAILURES } from "@minutes/contract";
import { type SpokenSegment, TranscriberError } from "@minutes/core";
import { readJson, type Transcript } from "@minutes/transcripts";
import { detectAudio } from "@minutes/transcripts/audio";
import { toRefusal } from "../refusal.js";
import type { OpenTranscriber } from "../transcriber/choose.js";
import {
  createCheck,
  describeRefusal,
  importMeetings,
  isCheck,
  type StoreMeeting,
} from "./import-meetings.js";
import type {
  AssumedField,
  CheckedMeeting,
  Failure,
  ImportCheck,
  ImportOptions,
  ImportTarget,
  Outcome,
  SourceFile,
} from "./outcome.js";
import { checkTranscript } from "./parse-file.js";

/** How recordings are transcribed. */
export interface Transcription {
  /** Opens the transcriber; null without one. Called for audio only. */
  readonly getTranscriber: () => Promise<OpenTranscriber | null>;
  /** Called every second while a recording is transcribed, and with null at its end. */
  readonly onProgress: (running: { readonly file: string; readonly seconds: number } | null) => void;
}

const NO_TRANSCRIBER =
  "Audio needs a transcriber: run `minutes transcriber use whisper-base`, or set TRANSCRIBER_URL and TRANSCRIBER_MODEL (docs/audio.md).";
const { notAudio: NOT_AUDIO, emptyAudio: EMPTY, audioCutOff: CUT_OFF } = MESSAGES;

/** Interval between reports of progress, in ms. */
const TICK = 1_000;

/**
 * Transcribes a recording and imports the meeting. Everything that can be refused is checked before: a transcription
 * takes minutes and can cost money. The audio is only held in memory.
 */
export async function* importAudio(
  target: ImportTarget | ImportCheck | null,
  source: SourceFile,
  options: ImportOptions,
  transcription: Transcription,
  hints: { readonly replace: string },
): AsyncGenerator<Outcome> {
  const fail = (error: string): Failure => ({ file: source.name, index: null, line: null, error });
  const transcriber = await transcription.getTranscriber();
  const audio = detectAudio(source.bytes);
  const refusal =
    source.bytes.length === 0 ? EMPTY : audio === null ? NOT_AUDIO : audio.complete ? null : CUT_OFF;
  if (!transcriber) return yield { ...fail(NO_TRANSCRIBER), passes: true };
  if (!audio || refusal !== null) return yield fail(refusal ?? NOT_AUDIO);

  const empty = checkRecording(source, [], options);
  const check = isCheck(target) ? createCheck(target) : null;
  if ("error" in empty || !target || isCheck(target))
    return yield* importMeetings([describeUnheard(empty)], check);
  const meeting = { ...empty.input, assumed: empty.assumed, ...options.overwrite };
  try {
    if (!(await target.isNeeded(meeting))) return yield "unchanged";
  } catch (error) {
    const refused = toRefusal(error);
    if (!refused) throw error;
    return yield fail(describeRefusal(refused, meeting.externalId, hints.replace));
  }

  const vocabulary = await target.getVocabulary(meeting.ownerEmail);
  let segments: readonly SpokenSegment[];
  const ticking = startTicking(source.name, transcription.onProgress);
  try {
    const spoken = { bytes: source.bytes, extension: audio.format, vocabulary };
    segments = await transcriber.transcribe(spoken, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof TranscriberError)) throw error;
    return yield { ...fail(error.message), ...(error.about === "service" ? { passes: true } : {}) };
  } finally {
    await ticking.stop();
    transcription.onProgress(null);
  }
  const checked = checkRecording(source, segments, options);
  if (!("error" in checked) && checked.input.transcript.length === 0)
    return yield fail(TRANSCRIPTION_FAILURES.silent);
  const store: StoreMeeting = (one) => target.importMeeting({ ...one, ...options.overwrite });
  yield* importMeetings([checked], store, hints);
}

/** Reports every second how long a transcription has taken, until the loop is stopped. */
function startTicking(file: string, onProgress: Transcription["onProgress"]) {
  const started = performance.now();
  const report = async () => onProgress({ file, seconds: Math.floor((performance.now() - started) / 1_000) });
  return startEvery(TICK, report, () => {});
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
