import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { findProgram, needs, temporaryDir } from "@minutes/testing";
import { type AudioFormat, detectAudio } from "@minutes/transcripts/audio";
import { describe, expect, test } from "vitest";
import { createWav } from "../../testing/index.js";
import { ConversionError, convert, FRAME_BYTES, FRAME_SECONDS, findConverter } from "./convert.js";
import { streamMp4 } from "./stream-mp4.js";

/** A tone of 20 s with a pause from 8 to 10. */
const TONE = "sine=frequency=300:duration=20,volume='if(between(t,8,10),0,1)':eval=frame";

const getFfmpeg = () => findProgram("ffmpeg") ?? "";

/** Writes a file with ffmpeg. */
async function record(extension: string, ...options: string[]): Promise<Buffer> {
  const path = join(await temporaryDir(), `tone.${extension}`);
  execFileSync(getFfmpeg(), ["-loglevel", "error", "-f", "lavfi", "-i", TONE, ...options, path]);
  return readFile(path);
}

async function* inPieces(content: Buffer, from = 0, to = content.length) {
  for (let at = from; at < to; at += 65_536) yield content.subarray(at, Math.min(to, at + 65_536));
}

async function convertFile(content: Buffer, given?: { format?: AudioFormat; maxSeconds?: number }) {
  const converter = await findConverter(process.env.PATH);
  const format = given?.format ?? detectAudio(content)?.format;
  if (!converter || !format) throw new Error("no converter or no audio");
  const source = {
    size: content.length,
    read: async (at: number, length: number) => content.subarray(at, at + length),
    stream: (from?: number, to?: number) => inPieces(content, from, to),
  };
  const audio = format === "m4a" ? streamMp4(source) : inPieces(content);
  const write = (converted: AsyncIterable<Uint8Array>) => buffer(converted);
  const maxSeconds = given?.maxSeconds ?? 60;
  return convert(converter, { format, audio, maxSeconds, write }, new AbortController().signal);
}

const getSeconds = (mp3: Buffer) => (mp3.length / FRAME_BYTES) * FRAME_SECONDS;
const LATE = ["-ac", "2", "-movflags", "-faststart"];

const PLAYLIST = Buffer.from("#EXTM3U\n#EXTINF:10,\nfile:///etc/hostname\n");

/** Changes a number of two bytes in the head of a WAV file. */
function changeWav(at: number, value: number): Buffer {
  const wav = createWav(1);
  wav.writeUInt16LE(value, at);
  return wav;
}

describe("converting", needs("ffmpeg", "prlimit"), () => {
  test.each<[string, string, string[]]>([
    ["WAV", "wav", []],
    ["MP3", "mp3", []],
    ["FLAC", "flac", []],
    ["Ogg", "ogg", ["-c:a", "libopus"]],
    ["WebM", "webm", []],
    ["M4A with its index last", "m4a", LATE],
    ["M4A with its index first", "m4a", ["-movflags", "+faststart"]],
    ["M4A in pieces", "m4a", ["-movflags", "frag_keyframe+empty_moov"]],
    ["MP4 with a picture", "mp4", ["-f", "lavfi", "-i", "testsrc=size=64x64:rate=5:duration=20", ...LATE]],
  ])("%s becomes MP3 of the same length, with its pause", async (_, extension, options) => {
    const { written, silences, voids } = await convertFile(await record(extension, ...options));
    expect(detectAudio(written)).toEqual({ format: "mp3", complete: true });
    expect(written.length % FRAME_BYTES).toBe(0);
    expect(Math.abs(getSeconds(written) - 20)).toBeLessThan(0.3);
    expect(silences).toHaveLength(1);
    expect(Math.abs((silences[0]?.from ?? 0) - 8)).toBeLessThan(0.2);
    expect(Math.abs((silences[0]?.to ?? 0) - 10)).toBeLessThan(0.2);
    expect(voids.length).toBeLessThanOrEqual(1);
  });

  test("what is nothing but silence is told from quiet speech", async () => {
    const { voids, silences } = await convertFile(createWav(5).fill(0, 44));
    expect([silences[0]?.from, voids[0]?.from]).toEqual([0, 0]);
    const quiet = createWav(5);
    for (let at = 44; at < quiet.length; at += 2) quiet.writeInt16LE(quiet.readInt16LE(at) >> 4, at);
    expect((await convertFile(quiet)).voids).toEqual([]);
  });

  test("half of a recording that was cut off is converted as far as it goes", async () => {
    const mp3 = await record("mp3");
    const { written } = await convertFile(mp3.subarray(0, mp3.length / 2));
    expect(Math.abs(getSeconds(written) - 10)).toBeLessThan(1);
  });

  test.each<[string, AudioFormat, Buffer]>([
    ["a playlist", "mp3", PLAYLIST],
    ["a list of files", "ogg", Buffer.from("ffconcat version 1.0\nfile /etc/hostname\n")],
    ["zeros", "wav", Buffer.alloc(100_000)],
    ["nothing", "flac", Buffer.alloc(0)],
    ["a head without sound", "webm", Buffer.from("\x1a\x45\xdf\xa3webm".padEnd(2_000, "x"), "latin1")],
    [
      "a playlist that begins as an MP3",
      "mp3",
      Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\0\0"), PLAYLIST]),
    ],
    ["a playlist that begins as an Ogg", "ogg", Buffer.concat([Buffer.from("OggS\0\x02"), PLAYLIST])],
    ["a page that begins as a FLAC", "flac", Buffer.from("fLaC<!doctype html>".padEnd(2_000, "x"))],
    ["a WAV of 65,535 channels", "wav", changeWav(22, 65_535)],
    ["an M4A whose index is garbage", "m4a", toMp4(Buffer.alloc(1_000, 255))],
    ["an M4A whose index has no sound", "m4a", toMp4(Buffer.alloc(0))],
  ])("unreadable: %s", async (_, format, content) => {
    await expect(convertFile(content, { format })).rejects.toMatchObject({ reason: "unreadable" });
  });

  test("a playlist within a WAV is noise, and opens nothing", async () => {
    const wav = Buffer.concat([createWav(1).subarray(0, 44), PLAYLIST, Buffer.alloc(16_000)]);
    const { written } = await convertFile(wav);
    expect(Math.abs(getSeconds(written) - 1)).toBeLessThan(0.2);
  });

  test("unreadable or short: an M4A that claims billions of samples", async () => {
    const m4a = await record("m4a", ...LATE);
    const at = m4a.indexOf("stsz");
    expect(at).toBeGreaterThan(0);
    m4a.writeUInt32BE(1, at + 8); // one length for all
    m4a.writeUInt32BE(0xff_ff_ff_ff, at + 12);
    const seconds = await convertFile(m4a).then(
      ({ written }) => getSeconds(written),
      (error: unknown) => expect(error).toBeInstanceOf(ConversionError),
    );
    expect(seconds ?? 0).toBeLessThan(60);
  });

  test("unreadable: a picture without sound", async () => {
    const path = join(await temporaryDir(), "silent.mp4");
    execFileSync(getFfmpeg(), ["-loglevel", "error", "-f", "lavfi", "-i", "testsrc=duration=1", path]);
    await expect(convertFile(await readFile(path))).rejects.toMatchObject({ reason: "unreadable" });
  });

  test("too long: the process ends as soon as it writes more than allowed", async () => {
    const bomb = await record("flac", "-af", "aloop=loop=5:size=2000000");
    await expect(convertFile(bomb, { maxSeconds: 30 })).rejects.toMatchObject({ reason: "tooLong" });
  });

  test("ends with its job, and when the audio can't be read", async () => {
    const converter = await findConverter(process.env.PATH);
    if (!converter) throw new Error("no converter");
    const stop = new AbortController();
    const endless = async function* () {
      for (;;) {
        yield createWav(1).subarray(44);
        stop.abort(new Error("stopped"));
      }
    };
    const write = (converted: AsyncIterable<Uint8Array>) => buffer(converted);
    const job = { format: "wav", maxSeconds: 60, write } as const;
    await expect(convert(converter, { ...job, audio: endless() }, stop.signal)).rejects.toThrow("stopped");
    const damaged = async function* () {
      yield createWav(1);
      throw new Error("damaged");
    };
    const { signal } = new AbortController();
    await expect(convert(converter, { ...job, audio: damaged() }, signal)).rejects.toThrow("damaged");
    const full = async () => {
      throw new Error("full");
    };
    await expect(
      convert(converter, { ...job, write: full, audio: inPieces(createWav(1)) }, signal),
    ).rejects.toThrow("full");
  });
});

test("without the programs, nothing is converted", async () => {
  expect(await findConverter(await temporaryDir())).toBeNull();
  expect(new ConversionError("unreadable").message).toBe("unreadable");
});

/** Wraps an index in an M4A, behind its sound. */
function toMp4(index: Buffer): Buffer {
  const box = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + content.length);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, content]);
  };
  return Buffer.concat([
    box("ftyp", Buffer.from("M4A \0\0\0\0")),
    box("mdat", Buffer.alloc(1_000)),
    box("moov", index),
  ]);
}
