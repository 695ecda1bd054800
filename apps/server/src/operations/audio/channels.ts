import type { AudioFormat } from "@minutes/transcripts/audio";
import { ConversionError, type Converter, convert, LEVELS } from "./convert.js";

/** Length of a window in seconds. */
const WINDOW = 0.25;
const FRAME_BYTES = 4;
const WINDOW_BYTES = WINDOW * LEVELS.bytesPerSecond;
/** Length of a WAV file's header, and where it says how many channels there are. */
const HEADER_BYTES = 44;
const CHANNELS_AT = 22;
/** Root mean square below which nobody speaks: -55 dB. */
const SILENT = 58;
/** How much louder speech is than its channel's background, and than the other channel: 12 dB. */
const LOUDER = 4;
/** Share of the windows with speech in which one channel must be louder. */
const APART = 0.7;
/** Share of them that each channel must have. So each is background for as long while the other person speaks. */
const EACH = 0.05;

/** A recording whose channels are compared. */
interface Source {
  readonly format: AudioFormat;
  readonly audio: AsyncIterable<Uint8Array>;
  readonly maxSeconds: number;
}

/**
 * Returns true if a recording has one person in each of two channels, as telephone systems record. One microphone for all gives
 * channels that are loud together. A recording that is too long, can't be read or has another number of channels has none.
 */
export async function hasSpeakersApart(
  converter: Converter,
  source: Source,
  signal: AbortSignal,
): Promise<boolean> {
  const job = { ...source, write: areApart, to: LEVELS };
  const compared = await convert(converter, job, signal).catch((error: unknown) => {
    if (error instanceof ConversionError) return null;
    throw error;
  });
  return compared?.written ?? false;
}

/** Compares the channels of a WAV file. Ends early unless there are two. */
export async function areApart(wav: AsyncIterable<Uint8Array>): Promise<boolean> {
  const levels: [number[], number[]] = [[], []];
  let rest = Buffer.alloc(0);
  let isBegun = false;
  for await (const chunk of wav) {
    rest = Buffer.concat([rest, chunk]);
    let used = 0;
    if (!isBegun && rest.length >= HEADER_BYTES) {
      if (rest.readUInt16LE(CHANNELS_AT) !== levels.length) return false;
      isBegun = true;
      used = HEADER_BYTES;
    }
    for (; isBegun && rest.length - used >= WINDOW_BYTES; used += WINDOW_BYTES)
      for (const [channel, found] of levels.entries())
        found.push(measure(rest.subarray(used, used + WINDOW_BYTES), channel));
    rest = Buffer.from(rest.subarray(used));
  }
  return alternate(levels);
}

/** Returns the root mean square of a channel's samples. */
function measure(window: Buffer, channel: number): number {
  let sum = 0;
  for (let at = 2 * channel; at < window.length; at += FRAME_BYTES) sum += window.readInt16LE(at) ** 2;
  return Math.sqrt((sum * FRAME_BYTES) / window.length);
}

/** Returns true if mostly one channel is heard at a time, and each of them. */
function alternate([left, right]: readonly [readonly number[], readonly number[]]): boolean {
  const [leftFloor, rightFloor] = [findFloor(left), findFloor(right)];
  const louder = { left: 0, right: 0, neither: 0 };
  for (const [at, one = 0] of left.entries()) {
    const other = right[at] ?? 0;
    if (one < leftFloor && other < rightFloor) continue;
    louder[one >= LOUDER * other ? "left" : other >= LOUDER * one ? "right" : "neither"] += 1;
  }
  const all = louder.left + louder.right + louder.neither;
  return louder.left + louder.right >= APART * all && Math.min(louder.left, louder.right) > EACH * all;
}

/** Returns the level above which speech is heard in a channel, which can have noise of its own. */
function findFloor(levels: readonly number[]): number {
  const background = levels.toSorted((one, other) => one - other)[Math.floor(EACH * levels.length)] ?? 0;
  return Math.max(SILENT, LOUDER * background);
}
