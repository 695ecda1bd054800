import { hasAudioExtension } from "./extensions.js";

/** Formats of audio that transcribers take; each is its usual extension. */
export type AudioFormat = "mp3" | "wav" | "m4a" | "ogg" | "flac" | "webm";

/** What a file's content says about its audio. */
export interface DetectedAudio {
  readonly format: AudioFormat;
  /** False if the file ends before its audio does, as an interrupted copy or recording. */
  readonly complete: boolean;
}

/** Audio that is read in parts. */
export interface AudioSource {
  readonly size: number;
  /** Returns fewer bytes only at the end. */
  read(at: number, length: number): Promise<Buffer>;
}

/** Reads some of a file's bytes; fewer come only at its end. */
type Reading<Result> = Generator<readonly [at: number, length: number], Result, Buffer>;

/**
 * Detects audio by its content, whatever the file's name. Decodes nothing: reads headers, in time proportional to the
 * length at most.
 * @returns null for anything else
 */
export function detectAudio(bytes: Uint8Array): DetectedAudio | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reading = detect(view.length);
  for (let next = reading.next(); ; ) {
    if (next.done) return next.value;
    const [at, length] = next.value;
    next = reading.next(view.subarray(at, at + length));
  }
}

/** Does the same for audio that is too long to be held in memory. */
export const detectStoredAudio = (source: AudioSource): Promise<DetectedAudio | null> =>
  readFrom(source, detect(source.size));

/** Finds the index of an MP4 file; null for a file without one, or that is cut off. */
export const findMp4Index = (source: AudioSource): Promise<Mp4Index | null> =>
  readFrom(source, readMp4Index(source.size));

async function readFrom<Result>(source: AudioSource, reading: Reading<Result>): Promise<Result> {
  for (let next = reading.next(); ; ) {
    if (next.done) return next.value;
    next = reading.next(await source.read(...next.value));
  }
}

function* detect(size: number): Reading<DetectedAudio | null> {
  const head = yield [0, HEAD];
  const has = (text: string, at: number) => head.toString("latin1", at, at + text.length) === text;
  if (has("RIFF", 0) && has("WAVE", 8)) return { format: "wav", complete: yield* isWholeWave(size) };
  if (has("ftyp", 4) && BRANDS.test(head.toString("latin1", 8, 12)))
    return { format: "m4a", complete: (yield* readMp4Index(size)) !== null };
  if (has("OggS", 0)) return { format: "ogg", complete: size > OGG_HEADER };
  if (has("fLaC", 0)) return { format: "flac", complete: size > FLAC_HEADER };
  if (has("\x1a\x45\xdf\xa3", 0) && head.includes("webm")) return { format: "webm", complete: size > HEAD };
  if (has("ID3", 0)) return { format: "mp3", complete: yield* findMp3Frames(getId3Length(head, size)) };
  return (yield* findMp3Frames(0)) ? { format: "mp3", complete: true } : null;
}

/** Returns true for audio by content, and for a file that claims to be audio by its name. */
export const isAudio = ({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }): boolean =>
  hasAudioExtension(name) || detectAudio(bytes) !== null;

/** Brands of MP4 files with audio; others are images, among them HEIC and AVIF. */
const BRANDS = /^(?:M4[ABV] |mp4[12]|iso[2-9m]|avc1|dash|MSNV)$/;

/** Sizes in bytes of the headers before the first sound. */
const OGG_HEADER = 27;
const FLAC_HEADER = 42;
/** Number of bytes within which an EBML header names the type of document. */
const HEAD = 64;

/** Maximum number of chunks before the sound of a WAV file. */
const CHUNKS = 1_000;

/** Returns true if a WAV file has as much sound as it claims. A recorder that streams claims none, or the maximum. */
function* isWholeWave(end: number): Reading<boolean> {
  let at = 12;
  for (let chunk = 0; chunk < CHUNKS && at + 8 <= end; chunk++) {
    const head = yield [at, 8];
    const size = head.readUInt32LE(4);
    if (head.toString("latin1", 0, 4) === "data") {
      const rest = end - at - 8;
      return rest > 0 && (size === 0 || size >= 0x7fff_ff00 || size <= rest);
    }
    at += 8 + size + (size % 2);
  }
  return false;
}

/** Where the index of an MP4 file is. */
export interface Mp4Index {
  readonly at: number;
  readonly length: number;
  /** Length of the first box, which names the brand. */
  readonly brandLength: number;
  /** True if sound comes before it. */
  readonly isLate: boolean;
}

/** Maximum number of boxes of an MP4 file: recorders that write in pieces add two for each. */
const BOXES = 10_000;

/** Finds the index of an MP4 file, which recorders write last; null unless it and all other boxes are there. */
function* readMp4Index(end: number): Reading<Mp4Index | null> {
  let [at, brandLength, isLate] = [0, 0, false];
  let index: Mp4Index | null = null;
  for (let box = 0; at < end; box++) {
    if (box === BOXES || at + 8 > end) return null;
    const head = yield [at, 16];
    const size = head.readUInt32BE(0);
    const isLong = size === 1;
    if (isLong && head.length < 16) return null;
    const length = isLong ? Number(head.readBigUInt64BE(8)) : size === 0 ? end - at : size;
    if (length < (isLong ? 16 : 8) || at + length > end) return null;
    const type = head.toString("latin1", 4, 8);
    if (box === 0) brandLength = length;
    if (type === "moov") index ??= { at, length, brandLength, isLate };
    isLate ||= type === "mdat";
    at += length;
  }
  return index;
}

/** Returns the length in bytes of an ID3v2 tag, whose bytes have seven bits each. */
const getId3Length = (head: Buffer, size: number): number =>
  head.length < 10 ? size : 10 + [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0);

/** Number of bytes after a tag within which the first frame is searched: tags can be padded. */
const MP3_SEARCH = 65_536;
/** Number of bytes in which the longest frame and the head of the next one are. */
const MP3_FRAMES = 2_048;

/** Returns true if two MP3 frames follow each other after a tag; without a tag, at the very beginning. */
function* findMp3Frames(from: number): Reading<boolean> {
  const search = from === 0 ? 0 : MP3_SEARCH;
  const view = yield [from, search + MP3_FRAMES];
  for (let at = 0; at <= Math.min(view.length, search); at++) {
    const length = getMp3FrameLength(view, at);
    if (length > 0 && getMp3FrameLength(view, at + length) > 0) return true;
  }
  return false;
}

/** Bit rates in kbit/s by index, of MPEG 1 and of MPEG 2 and 2.5; sample rates in Hz by version and index. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
] as const;
const SAMPLE_RATES = [
  [11_025, 12_000, 8_000],
  [],
  [22_050, 24_000, 16_000],
  [44_100, 48_000, 32_000],
] as const;

/** Returns the length in bytes of the MPEG layer III frame at a position; 0 if there is none. */
function getMp3FrameLength(view: Buffer, at: number): number {
  if (at + 4 > view.length || view[at] !== 0xff) return 0;
  const [head = 0, rates = 0] = [view[at + 1], view[at + 2]];
  const version = (head >> 3) & 3;
  if (head < 0xe0 || ((head >> 1) & 3) !== 1) return 0;
  const bitRate = BIT_RATES[version === 3 ? 0 : 1][rates >> 4] ?? 0;
  const sampleRate = SAMPLE_RATES[version as 0 | 1 | 2 | 3][(rates >> 2) & 3] ?? 0;
  if (bitRate === 0 || sampleRate === 0) return 0;
  return Math.floor(((version === 3 ? 144_000 : 72_000) * bitRate) / sampleRate) + ((rates >> 1) & 1);
}
