import { expect, test } from "vitest";
import { type AudioFormat, detectAudio, detectStoredAudio, findMp4Index } from "./audio.js";

const bytes = (...parts: (string | number[] | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
const uint32 = (value: number) => [value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
const chunk = (name: string, size: number, content: Buffer) => bytes(name, uint32(size).reverse(), content);
const box = (name: string, content: Buffer) => bytes(uint32(8 + content.length), name, content);

const wave = (claimed: number, content: Buffer) =>
  bytes(
    "RIFF",
    uint32(36 + claimed).reverse(),
    "WAVE",
    chunk("fmt ", 16, Buffer.alloc(16)),
    chunk("data", claimed, content),
  );
const SOUND = Buffer.alloc(100, 7);

/** A frame of MPEG 1 layer III with 128 kbit/s and 44.1 kHz. */
const FRAME = bytes([0xff, 0xfb, 0x90, 0x00], Buffer.alloc(413));
/** The same of MPEG 2 with 64 kbit/s and 16 kHz, as speech is compressed. */
const SPEECH = bytes([0xff, 0xf3, 0x88, 0xc4], Buffer.alloc(284));
const tag = (content: Buffer) =>
  bytes("ID3", [4, 0, 0], [0, 0, content.length >> 7, content.length & 0x7f], content);
const HEAD = box("ftyp", bytes("M4A ", uint32(0)));
const [MOOV, MDAT, FREE] = [box("moov", Buffer.alloc(50)), box("mdat", SOUND), box("free", Buffer.alloc(0))];
/** All boxes of a file with a number of them. */
const boxes = (count: number) => bytes(HEAD, MOOV, ...Array.from({ length: count - 2 }, () => FREE));
const LONG_MDAT = bytes(uint32(1), "mdat", uint32(0), uint32(16 + SOUND.length), SOUND);
const EBML = bytes([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x84], "webm", Buffer.alloc(100));

/** Audio in a store, which counts how much is read of it. */
function toStored(content: Buffer) {
  const reads: number[] = [];
  const read = async (at: number, length: number) => {
    const found = content.subarray(at, at + length);
    reads.push(found.length);
    return found;
  };
  return { size: content.length, read, reads };
}

test.each<[string, AudioFormat, Buffer]>([
  ["WAV", "wav", wave(SOUND.length, SOUND)],
  [
    "WAV with another chunk of odd length before the sound",
    "wav",
    bytes("RIFF", uint32(0), "WAVE", chunk("LIST", 3, Buffer.alloc(4)), chunk("data", 100, SOUND)),
  ],
  ["WAV of a recorder that streams", "wav", wave(0xffff_ffff, SOUND)],
  ["MP3", "mp3", bytes(FRAME, FRAME)],
  ["MP3 of speech", "mp3", bytes(SPEECH, SPEECH)],
  ["MP3 with a tag and padding", "mp3", bytes(tag(Buffer.alloc(300)), Buffer.alloc(20), FRAME, FRAME)],
  ["M4A with its index first", "m4a", bytes(HEAD, MOOV, MDAT)],
  ["M4A with its index last, after a box with a long length", "m4a", bytes(HEAD, LONG_MDAT, MOOV)],
  ["M4A in very many pieces", "m4a", boxes(10_000)],
  ["Ogg", "ogg", bytes("OggS", Buffer.alloc(100))],
  ["FLAC", "flac", bytes("fLaC", Buffer.alloc(100))],
  ["WebM", "webm", EBML],
])("%s is recognized by its content, also when it is read in parts", async (_, format, content) => {
  expect(detectAudio(content)).toEqual({ format, complete: true });
  expect(await detectStoredAudio(toStored(content))).toEqual({ format, complete: true });
});

test.each([
  ["WAV", wave(SOUND.length, SOUND.subarray(1))],
  ["WAV without sound", wave(0, Buffer.alloc(0))],
  ["WAV that ends in its header", wave(SOUND.length, SOUND).subarray(0, 30)],
  ["MP3 that ends in its tag", tag(Buffer.alloc(300)).subarray(0, 100)],
  ["MP3 with a tag and no sound", tag(Buffer.alloc(300))],
  ["M4A", bytes(HEAD, MOOV, MDAT).subarray(0, -1)],
  ["M4A without its index, as of a recorder that was killed", bytes(HEAD, MDAT)],
  ["M4A with a box shorter than its head", bytes(HEAD, MOOV, uint32(4), "mdat")],
  ["M4A of more boxes than anybody writes", boxes(10_001)],
  ["Ogg", bytes("OggS")],
  ["FLAC", bytes("fLaC")],
  ["WebM", EBML.subarray(0, 20)],
])("cut off: %s", async (_, content) => {
  expect(detectAudio(content)).toMatchObject({ complete: false });
  expect(await detectStoredAudio(toStored(content))).toMatchObject({ complete: false });
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["text", Buffer.from("WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n")],
  ["UTF-16 text", Buffer.from("\ufeffAnna: Hello.", "utf16le")],
  ["a playlist", Buffer.from("#EXTM3U\n#EXTINF:10,\nhttp://10.0.0.1/a.ts\n")],
  ["a page", Buffer.from("<!doctype html><title>ID3</title>")],
  ["a ZIP archive", bytes("PK", [3, 4], Buffer.alloc(100))],
  ["an image in an MP4 container", bytes(box("ftyp", bytes("heic", uint32(0))), MOOV, MDAT)],
  ["an image in a RIFF container", bytes("RIFF", uint32(0), "WEBP", SOUND)],
  ["Matroska that is not WebM", bytes([0x1a, 0x45, 0xdf, 0xa3], "matroska", Buffer.alloc(100))],
  ["one MP3 frame by chance", bytes(FRAME, Buffer.alloc(500))],
  ["zeros", Buffer.alloc(1_000)],
])("not audio: %s", (_, content) => {
  expect(detectAudio(content)).toBeNull();
});

test("of stored audio, only headers are read", async () => {
  const stored = toStored(bytes(HEAD, box("mdat", Buffer.alloc(5_000_000)), MOOV));
  expect(await detectStoredAudio(stored)).toEqual({ format: "m4a", complete: true });
  expect(stored.reads.reduce((sum, length) => sum + length, 0)).toBeLessThan(1_000);
});

test("the index of an M4A is found before and after its sound", async () => {
  const index = { length: MOOV.length, brandLength: HEAD.length };
  expect(await findMp4Index(toStored(bytes(HEAD, MOOV, MDAT)))).toEqual({
    ...index,
    at: HEAD.length,
    isLate: false,
  });
  expect(await findMp4Index(toStored(bytes(HEAD, MDAT, MOOV)))).toEqual({
    ...index,
    at: HEAD.length + MDAT.length,
    isLate: true,
  });
  expect(await findMp4Index(toStored(bytes(HEAD, MDAT)))).toBeNull();
});
