import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, needs, temporaryDir } from "@minutes/testing";
import { type AudioFormat, detectAudio } from "@minutes/transcripts/audio";
import { beforeAll, describe, expect, test } from "vitest";
import { type Dialog, speakDialog, toWav } from "../../testing/dialog.js";
import { listen } from "./channels.js";
import { findConverter } from "./convert.js";
import { streamMp4 } from "./stream-mp4.js";

let dialog: Dialog;

async function compare(content: Buffer, changes: Changes = {}): Promise<boolean> {
  return (await listenTo(content, changes)).isApart;
}

async function listenTo(content: Buffer, { format, maxSeconds = 3_600 }: Changes = {}) {
  const converter = await findConverter(process.env.PATH);
  const found = format ?? detectAudio(content)?.format;
  if (!converter || !found) throw new Error("no converter or no audio");
  const read = async (at: number, length: number) => content.subarray(at, at + length);
  async function* stream(from?: number, to?: number) {
    yield content.subarray(from, to);
  }
  const audio = found === "m4a" ? streamMp4({ size: content.length, read, stream }) : stream();
  return listen(converter, { format: found, audio, maxSeconds }, new AbortController().signal);
}

interface Changes {
  readonly format?: AudioFormat;
  readonly maxSeconds?: number;
}

/** Encodes a WAV file as a telephone system or a phone does. */
async function encode(wav: Buffer, extension: string, ...options: string[]): Promise<Buffer> {
  const folder = await temporaryDir();
  const [from, to] = [join(folder, "call.wav"), join(folder, `encoded.${extension}`)];
  await writeFile(from, wav);
  execFileSync(findProgram("ffmpeg") ?? "", ["-loglevel", "error", "-i", from, ...options, to]);
  return readFile(to);
}

/** How loud each person is in a channel. */
const [ONE, OTHER, BOTH, NOBODY] = [
  [1, 0],
  [0, 1],
  [1, 1],
  [0, 0],
] as const;
const APART = [ONE, OTHER];

describe("two people of a dialog", needs("ffmpeg", "prlimit", "espeak-ng"), () => {
  beforeAll(() => {
    dialog = speakDialog();
  });

  test.each<[string, string, string[]]>([
    ["WAV", "wav", []],
    ["WAV of a telephone system", "wav", ["-ar", "8000", "-c:a", "pcm_mulaw"]],
    ["MP3", "mp3", ["-b:a", "48k"]],
    ["M4A", "m4a", ["-b:a", "48k"]],
    ["Ogg", "ogg", ["-c:a", "libopus", "-b:a", "32k"]],
    ["FLAC", "flac", []],
    ["WebM", "webm", ["-b:a", "32k"]],
  ])("are apart in the channels of %s", async (_, extension, options) => {
    expect(await compare(await encode(toWav(dialog, APART), extension, ...options))).toBe(true);
  });

  test.each<[string, Parameters<typeof toWav>[1]]>([
    [
      "each heard in the other's channel, 20 dB quieter",
      [
        [1, 0.1],
        [0.1, 1],
      ],
    ],
    [
      "one quieter than the other, noise in both channels",
      [
        [...ONE, 0.004],
        [0, 0.3, 0.008],
      ],
    ],
  ])("are apart: %s", async (_, channels) => {
    expect(await compare(toWav(dialog, channels))).toBe(true);
  });

  test.each<[string, Parameters<typeof toWav>[1]]>([
    ["one channel", [BOTH]],
    ["two channels with the same sound", [BOTH, BOTH]],
    [
      "one room, in which each is nearer to one microphone",
      [
        [1, 0.5],
        [0.5, 1],
      ],
    ],
    ["a silent channel", [BOTH, NOBODY]],
    ["a channel with nothing but noise", [BOTH, [...NOBODY, 0.02]]],
    ["six channels", [ONE, ...Array(4).fill(NOBODY), OTHER]],
    ["silence", [NOBODY, NOBODY]],
  ])("are not apart: %s", async (_, channels) => {
    expect(await compare(toWav(dialog, channels))).toBe(false);
  });

  test("are not apart in a recording that is too long, or not one", async () => {
    const wav = toWav(dialog, APART);
    const maxSeconds = dialog.seconds - 5;
    expect(await listenTo(wav, { maxSeconds })).toEqual({
      isApart: false,
      isSilent: false,
      seconds: maxSeconds,
    });
    expect(await compare(wav, { format: "flac" })).toBe(false);
    expect(await compare(wav.subarray(0, 44))).toBe(false);
  });
});
