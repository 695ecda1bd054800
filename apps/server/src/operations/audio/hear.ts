import { LIMITS } from "@minutes/contract";
import { type SpokenSegment, TranscriberError } from "@minutes/core";
import { type AudioLength, type StoredRecording, TranscriptionFailure } from "@minutes/core/transcriptions";
import { type AudioFormat, detectStoredAudio } from "@minutes/transcripts/audio";
import { ConversionError, type Converter, convert, FRAME_BYTES, FRAME_SECONDS } from "./convert.js";
import { cutAtSilence, type Part } from "./silences.js";
import { type StreamedAudio, streamMp4 } from "./stream-mp4.js";

/** Transcribes audio that the transcriber takes whole. */
export type Hear = (bytes: Buffer, extension: string) => Promise<readonly SpokenSegment[]>;

/** How recordings are heard that are too long for the transcriber. */
export interface LongAudio {
  readonly converter: Converter;
  /** Number of bytes that the transcriber takes. */
  readonly above: number;
  /** Maximum length in seconds of a recording, and of a part. */
  readonly longest: number;
  readonly part: number;
}

/** Number of parts that are transcribed at a time. */
const AT_ONCE = 2;

/** What is kept of a conversion. */
interface Converted {
  readonly length: AudioLength;
  readonly parts: readonly Part[];
}

/** Opens a recording, and finds out what it is. @throws TranscriptionFailure, DamagedAudioError */
export async function withAudio<Result>(
  recording: StoredRecording,
  use: (audio: StreamedAudio & { readonly format: AudioFormat }) => Promise<Result>,
): Promise<Result> {
  const reader = await recording.open();
  try {
    const found = await detectStoredAudio(reader);
    if (!found) throw new TranscriptionFailure("damaged", 0);
    const { format } = found;
    const { size } = reader;
    const read = (at: number, length: number) => reader.read(at, length);
    return await use({ format, size, read, stream: (from, to) => reader.stream(from, to) });
  } finally {
    await reader.close();
  }
}

/**
 * Transcribes a recording. What an earlier attempt heard is not transcribed again: each answer is kept until the meeting is stored.
 * @param long null: recordings above the transcriber's limit can't be heard
 * @throws TranscriptionFailure, DamagedAudioError
 */
export async function hearRecording(
  recording: StoredRecording,
  audio: StreamedAudio & { readonly format: AudioFormat },
  hear: Hear,
  long: LongAudio | null,
  signal: AbortSignal,
): Promise<readonly SpokenSegment[]> {
  if (audio.size <= (long?.above ?? LIMITS.audioBytes))
    return hearOnce(recording, "answer", async () => hear(await audio.read(0, audio.size), audio.format));
  if (long === null) throw new TranscriptionFailure("refused", 0);
  const kept = await recording.recall<Converted>("converted");
  const converted = kept ?? (await convertRecording(recording, audio, long, signal));
  return hearParts(recording, converted, hear);
}

/** Converts a recording and decides where it is cut. Both are kept, so that every attempt has the same parts. */
async function convertRecording(
  recording: StoredRecording,
  audio: StreamedAudio & { readonly format: AudioFormat },
  { converter, longest, part }: LongAudio,
  signal: AbortSignal,
): Promise<Converted> {
  const { format } = audio;
  const source = {
    ...{ format, maxSeconds: longest, audio: format === "m4a" ? streamMp4(audio) : audio.stream() },
    write: (bytes: AsyncIterable<Uint8Array>) => recording.writeConverted(bytes),
  };
  const { written, ...heard } = await convert(converter, source, signal).catch((error: unknown) => {
    if (!(error instanceof ConversionError)) throw error;
    throw new TranscriptionFailure(error.reason, error.reason === "tooLong" ? 0 : 1);
  });
  if (written.received % FRAME_BYTES !== 0) throw new TranscriptionFailure("unreadable", 0);
  const seconds = (written.received / FRAME_BYTES) * FRAME_SECONDS;
  const parts = cutAtSilence(seconds, heard, { longest: part, step: FRAME_SECONDS });
  const converted = { length: written, parts };
  await recording.keep("converted", converted);
  return converted;
}

/** Transcribes parts, a few at a time. After a failure, those that were begun are finished and kept. */
async function hearParts(
  recording: StoredRecording,
  { length, parts }: Converted,
  hear: Hear,
): Promise<readonly SpokenSegment[]> {
  const toByte = (seconds: number) => Math.round(seconds / FRAME_SECONDS) * FRAME_BYTES;
  const hearPart = async ({ from, to, isVoid }: Part, at: number) => {
    if (isVoid) return [];
    const segments = await hearOnce(recording, `answer-${at}`, async () => {
      const reader = await recording.openConverted(length);
      const bytes = await reader.read(toByte(from), toByte(to) - toByte(from)).finally(() => reader.close());
      return hear(bytes, "mp3");
    });
    return segments.map((one) => shift(one, from, parts.length > 1 ? at : null));
  };
  const heard: SpokenSegment[][] = [];
  const waiting = parts.entries();
  let failed = false;
  const work = async () => {
    for (const [at, part] of waiting) {
      if (failed) return;
      heard[at] = await hearPart(part, at).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return boundSpeakers(heard.flat());
}

/** Leaves speakers out if there are more labels than a meeting can have. */
function boundSpeakers(segments: readonly SpokenSegment[]): readonly SpokenSegment[] {
  const speakers = new Set(segments.map(({ speaker }) => speaker));
  return speakers.size < LIMITS.speakersMax ? segments : segments.map((one) => ({ ...one, speaker: null }));
}

/** Moves a segment to its place in the recording. A speaker's label means nothing in other parts. */
function shift(segment: SpokenSegment, by: number, part: number | null): SpokenSegment {
  const { speaker, start, end } = segment;
  const label =
    speaker === null || speaker === undefined || part === null ? speaker : `${part + 1}: ${speaker}`;
  return { ...segment, start: start + by, end: end + by, speaker: label };
}

/** Transcribes audio, unless an earlier attempt did. */
async function hearOnce(
  recording: StoredRecording,
  name: string,
  hear: () => Promise<readonly SpokenSegment[]>,
): Promise<readonly SpokenSegment[]> {
  const kept = await recording.recall<readonly SpokenSegment[]>(name);
  if (kept) return kept;
  const segments = await hear().catch((error: unknown) => {
    if (!(error instanceof TranscriberError)) throw error;
    if (error.about === "recording") throw new TranscriptionFailure("refused", 0);
    throw new TranscriptionFailure("unavailable", error.about === "time" ? 1 : undefined);
  });
  await recording.keep(name, segments);
  await recording.advance();
  return segments;
}
