import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LIMITS } from "@minutes/contract";
import { type SpokenSegment, TranscriberError } from "@minutes/core";
import {
  type AudioLength,
  type AudioReader,
  type StoredRecording,
  TranscriptionFailure,
  TurnOver,
} from "@minutes/core/transcriptions";
import { type AudioFormat, detectStoredAudio } from "@minutes/transcripts/audio";
import { type Listened, listen } from "./channels.js";
import {
  ConversionError,
  type Converter,
  convert,
  FRAME_BYTES,
  FRAME_SECONDS,
  findConverter,
  type Heard,
  MP3,
  type Target,
  toChannel,
} from "./convert.js";
import { cutAtSilence, type Part } from "./silences.js";
import { type StreamedAudio, streamMp4 } from "./stream-mp4.js";

/** Transcribes audio that the transcriber takes whole. It is read when its turn comes. */
export type Hear = (read: () => Promise<Buffer>, extension: string) => Promise<readonly SpokenSegment[]>;

/** How recordings are heard that are too long for the transcriber. */
export interface LongAudio {
  readonly converter: Converter;
  /** Number of bytes that the transcriber takes. */
  readonly above: number;
  /** Maximum length in seconds of a recording, and of a part. */
  readonly longest: number;
  readonly part: number;
}

/** Maximum length in seconds of a part: a slow model can transcribe it in time, and a kill repeats little. */
const PART_SECONDS = 600;

/**
 * Finds what long recordings need in the folders of `PATH`; null without it.
 * @param above number of bytes that the transcriber takes
 */
export async function findLongAudio(path: string | undefined, above: number): Promise<LongAudio | null> {
  const converter = await findConverter(path);
  return converter && { converter, above, longest: LIMITS.longAudioSeconds, part: PART_SECONDS };
}

/** Number of requests to the transcriber at a time. */
export const AT_ONCE = 2;

/** A recording to transcribe, with storage for its intermediate results. */
export interface HeardRecording extends Pick<StoredRecording, "turn" | "recall" | "keep" | "writeConverted"> {
  openConverted(length: AudioLength): Promise<Pick<AudioReader, "read" | "close">>;
}

/** What is kept of a conversion. */
interface Converted {
  readonly length: AudioLength;
  readonly parts: readonly ConvertedPart[];
}

interface ConvertedPart extends Part {
  /** Only with one speaker per channel: the channel's start in the converted audio, in seconds, and its index. */
  readonly offset?: number;
  readonly channel?: number;
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
 * @throws TranscriptionFailure, TurnOver, DamagedAudioError
 */
export async function hearRecording(
  recording: HeardRecording,
  audio: StreamedAudio & { readonly format: AudioFormat },
  hear: Hear,
  long: LongAudio | null,
  signal: AbortSignal,
): Promise<readonly SpokenSegment[]> {
  const isShort = audio.size <= (long?.above ?? LIMITS.audioBytes);
  if (long === null) {
    if (isShort) return hearWhole(recording, audio, hear);
    throw new TranscriptionFailure("refused", 0);
  }
  const kept = await recording.recall<Converted>("converted");
  if (kept) return hearParts(recording, kept, hear);
  const { isSilent, seconds, ...heard } = await listenOnce(recording, audio, long, signal);
  if (isSilent) throw new TranscriptionFailure("silent", 0);
  // A recording can be small and take hours.
  const isBrief = seconds <= long.longest / CHANNELS;
  const isApart = heard.isApart && isBrief;
  if (isShort && isBrief && !isApart) return hearWhole(recording, audio, hear);
  const targets = isApart ? Array.from({ length: CHANNELS }, (_, channel) => toChannel(channel)) : [MP3];
  return hearParts(recording, await convertRecording(recording, audio, long, targets, signal), hear);
}

/** Analyzes a recording's channels. The result is kept, so a retry doesn't decode the recording again. */
async function listenOnce(
  recording: HeardRecording,
  audio: StreamedAudio & { readonly format: AudioFormat },
  { converter, longest }: LongAudio,
  signal: AbortSignal,
): Promise<Listened> {
  const kept = await recording.recall<Listened>("listened");
  if (kept) return kept;
  const found = await listen(converter, open(audio, longest), signal);
  await recording.keep("listened", found);
  return found;
}

async function hearWhole(
  recording: HeardRecording,
  { size, read, format }: StreamedAudio & { readonly format: AudioFormat },
  hear: Hear,
): Promise<readonly SpokenSegment[]> {
  const kept = await recording.recall<readonly SpokenSegment[]>("answer");
  return kept ?? hearNow(recording, "answer", () => hear(() => read(0, size), format));
}

/** Number of channels that can be transcribed one by one. Both together are as long as the longest recording. */
const CHANNELS = 2;

const open = (audio: StreamedAudio & { readonly format: AudioFormat }, maxSeconds: number) => ({
  ...{ format: audio.format, maxSeconds },
  audio: audio.format === "m4a" ? streamMp4(audio) : audio.stream(),
});

/**
 * Opens the audio to keep once the meeting is stored: the upload or its converted MP3, whichever is smaller.
 * @throws DamagedAudioError
 */
export async function openCompact(
  recording: StoredRecording,
  audio: StreamedAudio & { readonly format: AudioFormat },
  long: LongAudio | null,
  signal: AbortSignal,
) {
  const known = await recording.recall<Converted>("converted");
  // Channels that were transcribed apart are one after the other.
  const isWhole = known?.parts.every(({ channel }) => channel === undefined) === true;
  const length = (await recording.recall<Listened>("listened"))?.seconds ?? null;
  const converted = isWhole ? known : await compact(recording, audio, length, long, signal);
  if (!converted || converted.length.received >= audio.size)
    return { format: audio.format, seconds: length, reader: audio, close: async () => undefined };
  const reader = await recording.openConverted(converted.length);
  const seconds = (converted.length.received / FRAME_BYTES) * FRAME_SECONDS;
  return { format: "mp3", seconds, reader, close: () => reader.close() };
}

/** Converts a recording that was transcribed as it is or by channel; null if that fails, or if it would not become smaller. */
async function compact(
  recording: StoredRecording,
  audio: StreamedAudio & { readonly format: AudioFormat },
  length: number | null,
  long: LongAudio | null,
  signal: AbortSignal,
): Promise<Converted | null> {
  if (long === null || (audio.format === "mp3" && audio.size <= LIMITS.audioBytes)) return null;
  if (length !== null && audio.size <= (length / FRAME_SECONDS) * FRAME_BYTES) return null;
  return convertRecording(recording, audio, long, [MP3], signal).catch((error: unknown) => {
    if (error instanceof TranscriptionFailure) return null;
    throw error;
  });
}

/** Converts a recording and decides where it is cut. Both are kept, so that every attempt has the same parts. */
async function convertRecording(
  recording: HeardRecording,
  audio: StreamedAudio & { readonly format: AudioFormat },
  { converter, longest, part }: LongAudio,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<Converted> {
  const parts: ConvertedPart[] = [];
  let offset = 0;
  async function* convertAll() {
    for (const [channel, to] of targets.entries()) {
      const { seconds, ...heard } = yield* stream(converter, { ...open(audio, longest), to }, signal);
      const cut = cutAtSilence(seconds, heard, { longest: part, step: FRAME_SECONDS });
      parts.push(...(targets.length > 1 ? cut.map((one) => ({ ...one, offset, channel })) : cut));
      offset += seconds;
    }
  }
  const length = await recording.writeConverted(convertAll()).catch((error: unknown) => {
    if (!(error instanceof ConversionError)) throw error;
    throw new TranscriptionFailure(error.reason, error.reason === "tooLong" ? 0 : 1);
  });
  const converted = { length, parts };
  await recording.keep("converted", converted);
  return converted;
}

/** Streams the converted audio. @returns its length and silences */
async function* stream(
  converter: Converter,
  source: ReturnType<typeof open> & { readonly to: Target },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, Heard & { readonly seconds: number }> {
  const out = new PassThrough();
  const write = (converted: AsyncIterable<Uint8Array>) => pipeline(converted, out);
  const converting = convert(converter, { ...source, write }, signal);
  converting.catch((error: unknown) => out.destroy(error as Error));
  let bytes = 0;
  for await (const chunk of out as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    yield chunk;
  }
  const { silences, voids } = await converting;
  if (bytes % FRAME_BYTES !== 0) throw new ConversionError("unreadable");
  return { silences, voids, seconds: (bytes / FRAME_BYTES) * FRAME_SECONDS };
}

/**
 * Transcribes parts, a few at a time. After a failure, and when others go first, those that were begun are finished and kept.
 * @throws TurnOver if others go first
 */
async function hearParts(
  recording: HeardRecording,
  { length, parts }: Converted,
  hear: Hear,
): Promise<readonly SpokenSegment[]> {
  const toByte = (seconds: number) => Math.round(seconds / FRAME_SECONDS) * FRAME_BYTES;
  const heard = new Map<number, readonly SpokenSegment[]>();
  const hearPart = async ({ from, to, isVoid, offset = 0, channel }: ConvertedPart, at: number) => {
    const read = async () => {
      if (recording.turn.isOver) throw new TurnOver();
      const reader = await recording.openConverted(length);
      return reader.read(toByte(offset + from), toByte(to) - toByte(from)).finally(() => reader.close());
    };
    const name = `answer-${at}`;
    const kept = isVoid ? [] : await recording.recall<readonly SpokenSegment[]>(name);
    const segments = kept ?? (await hearNow(recording, name, () => hear(read, "mp3")));
    heard.set(
      at,
      segments.map((one) =>
        channel === undefined
          ? shift(one, from, parts.length > 1 ? at : null)
          : { ...shift(one, from, null), speaker: `Speaker ${channel + 1}` },
      ),
    );
    if (!kept) await recording.turn.advance(heard.size, parts.length);
  };
  const waiting = parts.entries();
  let failed = false;
  const work = async () => {
    for (const [at, part] of waiting) {
      if (failed || recording.turn.isOver) return;
      await hearPart(part, at).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  const errors = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  const fault = errors.find((error) => !(error instanceof TurnOver));
  if (fault !== undefined) throw fault;
  if (heard.size < parts.length) throw new TurnOver();
  const segments = parts.flatMap((_, at) => heard.get(at) ?? []);
  return boundSpeakers(segments.sort((one, other) => one.start - other.start));
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

/** Transcribes audio, and keeps what was heard. */
async function hearNow(
  recording: HeardRecording,
  name: string,
  hear: () => Promise<readonly SpokenSegment[]>,
): Promise<readonly SpokenSegment[]> {
  const segments = await hear().catch((error: unknown) => {
    if (!(error instanceof TranscriberError)) throw error;
    if (error.about === "recording") throw new TranscriptionFailure("refused", 0);
    throw new TranscriptionFailure("unavailable", error.about === "time" ? 1 : undefined);
  });
  await recording.keep(name, segments);
  return segments;
}
