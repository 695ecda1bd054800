import { execFileSync } from "node:child_process";
import { findProgram } from "@minutes/testing";
import { SPOKEN } from "./transcriber.js";

/** Who says what, in turn. */
const LINES = [
  "Good morning, thank you for calling about the invoice of the last month.",
  "Hello, the amount is wrong, it should be four hundred dollars.",
  "I am looking at the invoice now, please wait for a moment.",
  "Take your time. I have also a question about the delivery of the chairs.",
  "The chairs will arrive on Thursday, and I will send a new invoice.",
  "Thank you very much, that is all that I wanted to know.",
];
const VOICES = ["en-us", "en-gb"];
/** Number of samples of espeak-ng per second, and length in seconds of the pause after each line. */
const RATE = 22_050;
const PAUSE = 0.5;
const HEADER_BYTES = 44;
/** Level below which a sample is silent. */
const QUIET = 300;

/** A piece of speech, in seconds. */
interface Spoken {
  readonly speaker: number;
  readonly from: number;
  readonly to: number;
}

/** A dialog of two synthetic voices. */
export interface Dialog {
  readonly spoken: readonly Spoken[];
  readonly seconds: number;
  /** The samples of each voice, as long as the dialog. */
  readonly voices: readonly [Float64Array, Float64Array];
}

/** Lets espeak-ng speak a dialog of at least a number of seconds. */
export function speakDialog(atLeast = 0): Dialog {
  const lines = LINES.map((text, at) => speakLine(text, VOICES[at % 2] ?? ""));
  const spoken: (Spoken & { readonly samples: Int16Array })[] = [];
  let end = 0;
  for (let at = 0; at < lines.length || end < atLeast; at++) {
    const samples = lines[at % lines.length] ?? new Int16Array();
    const to = end + samples.length / RATE;
    spoken.push({ speaker: at % 2, from: end, to, samples });
    end = to + PAUSE;
  }
  const voices = [0, 1].map((voice) => {
    const all = new Float64Array(Math.ceil(end * RATE));
    for (const { speaker, from, samples } of spoken)
      if (speaker === voice) all.set(samples, Math.round(from * RATE));
    return all;
  });
  return { spoken, seconds: end, voices: voices as [Float64Array, Float64Array] };
}

/** Speaks a line, without the silence around it. */
function speakLine(text: string, voice: string): Int16Array {
  const wav = execFileSync(findProgram("espeak-ng") ?? "", ["-v", voice, "-s", "150", "--stdout", text]);
  const bytes = Uint8Array.from(wav.subarray(HEADER_BYTES, wav.length - (wav.length % 2)));
  const samples = new Int16Array(bytes.buffer);
  const isLoud = (sample: number) => Math.abs(sample) > QUIET;
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
}

/** Writes a WAV file. Each channel has so much of either voice, and of noise (0: none, 1: full level). */
export function toWav(
  { voices: [one, other] }: Dialog,
  channels: readonly (readonly [one: number, other: number, noise?: number])[],
): Buffer {
  const wav = Buffer.alloc(HEADER_BYTES + 2 * channels.length * one.length);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(channels.length, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(2 * channels.length * RATE, 28);
  wav.writeUInt16LE(2 * channels.length, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(wav.length - HEADER_BYTES, 40);
  let at = HEADER_BYTES;
  for (const [index, sample] of one.entries())
    for (const [first, second, noise = 0] of channels) {
      const sum = first * sample + second * (other[index] ?? 0) + noise * (65_535 * Math.random() - 32_768);
      at = wav.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sum))), at);
    }
  return wav;
}

/** What the second person says once, according to the transcriber. */
export const SAID_ONCE = { at: 21, text: "The carpenter comes on Friday." };

/** Number of bytes of an MP3 recording that show whether somebody speaks first. */
const HEAD_BYTES = 4_096;

/**
 * Creates what a transcriber answers that heard one person's channel, as MP3. The first person's channel begins with speech, the
 * other one's with silence, which is encoded to the same bytes again and again.
 */
export function answerChannel({ spoken }: Dialog, mp3: Uint8Array) {
  const begun = new Set(mp3.subarray(0, HEAD_BYTES)).size > HEAD_BYTES / 32;
  const toText = (at: number) => (at === SAID_ONCE.at ? SAID_ONCE.text : LINES[at % LINES.length]);
  const segments = spoken.flatMap(({ speaker, from, to }, at) =>
    speaker === (begun ? 0 : 1) ? [{ start: from, end: to, text: ` ${toText(at)}` }] : [],
  );
  return { ...SPOKEN, segments };
}
