import { hasAudioExtension } from "./extensions.js";

/** Formats of audio that transcribers take; each is its usual extension. */
export type AudioFormat = "mp3" | "wav" | "m4a" | "ogg" | "flac" | "webm";

/** What a file's content says about its audio. */
export interface DetectedAudio {
  readonly format: AudioFormat;
  /** False if the file ends before its audio does, as an interrupted copy or recording. */
  readonly complete: boolean;
}

/**
 * Detects audio by its content, whatever the file's name. Decodes nothing: reads headers, in time proportional to the
 * length at most.
 * @returns null for anything else
 */
export function detectAudio(bytes: Uint8Array): DetectedAudio | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (text: string, at: number) => view.toString("latin1", at, at + text.length) === text;
  if (has("RIFF", 0) && has("WAVE", 8)) return { format: "wav", complete: isWholeWave(view) };
  if (has("ftyp", 4) && BRANDS.test(view.toString("latin1", 8, 12)))
    return { format: "m4a", complete: isWholeMp4(view) };
  if (has("OggS", 0)) return { format: "ogg", complete: view.length > OGG_HEADER };
  if (has("fLaC", 0)) return { format: "flac", complete: view.length > FLAC_HEADER };
  if (has("\x1a\x45\xdf\xa3", 0) && view.subarray(0, EBML_HEAD).includes("webm"))
    return { format: "webm", complete: view.length > EBML_HEAD };
  if (has("ID3", 0)) return { format: "mp3", complete: findMp3Frames(view, getId3Length(view)) };
  return findMp3Frames(view, 0) ? { format: "mp3", complete: true } : null;
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
const EBML_HEAD = 64;

/** Maximum number of chunks before the sound of a WAV file. */
const CHUNKS = 1_000;

/** Returns true if a WAV file has as much sound as it claims. A recorder that streams claims none, or the maximum. */
function isWholeWave(view: Buffer): boolean {
  let at = 12;
  for (let chunk = 0; chunk < CHUNKS && at + 8 <= view.length; chunk++) {
    const size = view.readUInt32LE(at + 4);
    if (view.toString("latin1", at, at + 4) === "data") {
      const rest = view.length - at - 8;
      return rest > 0 && (size === 0 || size >= 0x7fff_ff00 || size <= rest);
    }
    at += 8 + size + (size % 2);
  }
  return false;
}

/** Maximum number of boxes of an MP4 file: recorders that write in pieces add two for each. */
const BOXES = 10_000;

/** Returns true if all boxes of an MP4 file are there, among them the index, which recorders write last. */
function isWholeMp4(view: Buffer): boolean {
  let [at, indexed] = [0, false];
  for (let box = 0; at < view.length; box++) {
    if (box === BOXES || at + 8 > view.length) return false;
    const size = view.readUInt32BE(at);
    const long = size === 1;
    if (long && at + 16 > view.length) return false;
    const length = long ? Number(view.readBigUInt64BE(at + 8)) : size === 0 ? view.length - at : size;
    indexed ||= view.toString("latin1", at + 4, at + 8) === "moov";
    if (length < (long ? 16 : 8) || at + length > view.length) return false;
    at += length;
  }
  return indexed;
}

/** Returns the length in bytes of an ID3v2 tag, whose bytes have seven bits each. */
const getId3Length = (view: Buffer): number =>
  view.length < 10
    ? view.length
    : 10 + [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((view[at] ?? 0) & 0x7f), 0);

/** Number of bytes after a tag within which the first frame is searched: tags can be padded. */
const MP3_SEARCH = 65_536;

/** Returns true if two MP3 frames follow each other after a tag; without a tag, at the very beginning. */
function findMp3Frames(view: Buffer, from: number): boolean {
  const last = from === 0 ? 0 : Math.min(view.length, from + MP3_SEARCH);
  for (let at = from; at <= last; at++) {
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
