import { LIMITS } from "@minutes/contract";
import { type Converter, convert } from "../../operations/audio/convert.js";
import type { TranscriberChoice } from "../../operations/transcriber/choose.js";
import { type Check, fail, mention, ok, warn } from "./check.js";

const NAME = "Conversion";
const MEGABYTES = LIMITS.audioBytes / 1024 / 1024;

/** Converts a tenth of a second of silence, where audio is transcribed. */
export async function checkConverter(
  transcriber: TranscriberChoice | null,
  converter: Converter | null,
): Promise<Check[]> {
  if (!transcriber) return [];
  if (!converter && transcriber.kind === "local")
    return [
      fail(NAME, "without ffmpeg and prlimit (Debian: ffmpeg, util-linux), all recordings are refused."),
    ];
  if (!converter)
    return [
      mention(
        NAME,
        `without ffmpeg and prlimit (Debian: ffmpeg, util-linux), recordings above ${MEGABYTES} MB are refused.`,
      ),
    ];
  let bytes = 0;
  const write = async (converted: AsyncIterable<Uint8Array>) => {
    for await (const chunk of converted) bytes += chunk.length;
  };
  const job = { format: "wav", audio: silence(), maxSeconds: 1, write } as const;
  const failed = await convert(converter, job, new AbortController().signal).then(
    () => bytes === 0,
    () => true,
  );
  return failed
    ? [warn(NAME, "ffmpeg can't convert: it needs the encoder libmp3lame, and 1 GB of address space.")]
    : [ok(NAME, `ffmpeg converts ${transcriber.kind === "local" ? "" : "long "}recordings.`)];
}

/** A WAV file of one channel with 8,000 samples a second of 8 bits. */
async function* silence(): AsyncGenerator<Uint8Array> {
  const wav = Buffer.alloc(44 + 800, 128);
  wav.write("RIFF____WAVEfmt ____", "latin1");
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.writeUInt32LE(16, 16);
  for (const [at, value] of [1, 1].entries()) wav.writeUInt16LE(value, 20 + 2 * at);
  for (const at of [24, 28]) wav.writeUInt32LE(8_000, at);
  for (const [at, value] of [1, 8].entries()) wav.writeUInt16LE(value, 32 + 2 * at);
  wav.write("data", 36);
  wav.writeUInt32LE(800, 40);
  yield wav;
}
