import type { AudioFormat } from "@minutes/transcripts/audio";
import { ConversionError, type Converter, convert, LEVELS, LEVELS_RATE } from "./convert.js";

/** Length of a window in seconds. */
const WINDOW = 0.25;
/** Samples of a window in each channel, of two bytes. */
const WINDOW_SAMPLES = WINDOW * LEVELS_RATE;
const SAMPLE_BYTES = 2;
/** Length of a WAV file's header, and where it says how many channels there are. */
const HEADER_BYTES = 44;
const CHANNELS_AT = 22;
/** Root mean square below which nobody speaks: -55 dB. */
const SILENT = 58;
/** Root mean square below which there is no sound: -70 dB. */
const VOID = 10;
/** How much louder speech is than its channel's background, and than the other channel: 12 dB. */
const LOUDER = 4;
/** Share of the windows with speech in which one channel must be louder. */
const APART = 0.7;
/** Minimum share of those windows per channel. So a channel's background level is at this quantile of its levels. */
const EACH = 0.05;

/** A recording whose channels are compared. */
interface Source {
  readonly format: AudioFormat;
  readonly audio: AsyncIterable<Uint8Array>;
  readonly maxSeconds: number;
}

/** What can be heard in a recording. */
export interface Listened {
  /**
   * True if each of two channels has one speaker, as phone systems record. With a shared microphone, both channels are loud at the
   * same time.
   */
  readonly isApart: boolean;
  /** True if there is no sound. */
  readonly isSilent: boolean;
  /** Its length, or what of it was listened to. */
  readonly seconds: number;
}

const UNKNOWN: Listened = { isApart: false, isSilent: false, seconds: 0 };

/** Analyzes a recording's channels. If it is too long, returns only `seconds`; if it can't be decoded, `UNKNOWN`. */
export async function listen(converter: Converter, source: Source, signal: AbortSignal): Promise<Listened> {
  try {
    return (await convert(converter, { ...source, write: compareChannels, to: LEVELS }, signal)).written;
  } catch (error) {
    if (error instanceof ConversionError)
      return { ...UNKNOWN, seconds: error.reason === "tooLong" ? source.maxSeconds : 0 };
    throw error;
  }
}

/** Compares the channels of a WAV file. */
export async function compareChannels(wav: AsyncIterable<Uint8Array>): Promise<Listened> {
  const levels: number[][] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of wav) {
    rest = Buffer.concat([rest, chunk]);
    let used = 0;
    if (levels.length === 0 && rest.length >= HEADER_BYTES) {
      for (let channel = rest.readUInt16LE(CHANNELS_AT); channel > 0; channel--) levels.push([]);
      used = HEADER_BYTES;
    }
    const bytes = SAMPLE_BYTES * WINDOW_SAMPLES * levels.length;
    for (; bytes > 0 && rest.length - used >= bytes; used += bytes)
      for (const [channel, found] of levels.entries())
        found.push(measure(rest.subarray(used, used + bytes), channel, levels.length));
    rest = Buffer.from(rest.subarray(used));
  }
  const [left = [], right = []] = levels;
  const isSilent = left.length > 0 && levels.every((found) => found.every((level) => level < VOID));
  const isApart = levels.length === 2 && alternate(left, right);
  return { isApart, isSilent, seconds: WINDOW * left.length };
}

/** Returns the root mean square of a channel's samples. */
function measure(window: Buffer, channel: number, channels: number): number {
  let sum = 0;
  for (let at = SAMPLE_BYTES * channel; at < window.length; at += SAMPLE_BYTES * channels)
    sum += window.readInt16LE(at) ** 2;
  return Math.sqrt(sum / WINDOW_SAMPLES);
}

/** Returns true if usually only one channel is loud, and each of them is at times. */
function alternate(left: readonly number[], right: readonly number[]): boolean {
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
