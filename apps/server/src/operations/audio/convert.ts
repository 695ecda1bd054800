import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { setPriority } from "node:os";
import { delimiter, join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AudioFormat } from "@minutes/transcripts/audio";
import { type Interval, SilenceReader } from "./silences.js";

/** Paths of the programs that convert audio. */
export interface Converter {
  readonly ffmpeg: string;
  /** Limits what the other one takes. */
  readonly prlimit: string;
}

/** Finds the programs in the folders of `PATH`; null unless both are there. */
export async function findConverter(path: string | undefined): Promise<Converter | null> {
  const find = async (name: string) => {
    for (const directory of (path ?? "").split(delimiter).filter((part) => part !== "")) {
      const program = join(directory, name);
      const found = await access(program, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return program;
    }
    return null;
  };
  const [ffmpeg, prlimit] = await Promise.all([find("ffmpeg"), find("prlimit")]);
  return ffmpeg !== null && prlimit !== null ? { ffmpeg, prlimit } : null;
}

/** MP3 with one channel, 16,000 samples and 64 kbit a second: every frame has the same length and can be read alone. */
export const FRAME_BYTES = 288;
export const FRAME_SECONDS = 0.036;

/** Why audio could not be converted. */
export class ConversionError extends Error {
  override name = "ConversionError";
  constructor(readonly reason: "unreadable" | "tooLong") {
    super(reason);
  }
}

/** What was heard while converting. */
export interface Heard {
  readonly silences: readonly Interval[];
  /** Silence without any noise. */
  readonly voids: readonly Interval[];
}

/** What sound is converted to. */
export interface Target {
  /** Filters, and options of the encoder. */
  readonly filters: string;
  readonly options: string;
  readonly bytesPerSecond: number;
}

/** MP3 for transcribers, with one channel. */
export const MP3: Target = {
  filters:
    "aformat=sample_rates=16000:channel_layouts=mono,silencedetect=noise=-40dB:d=0.5,silencedetect=noise=-70dB:d=1:mono=1",
  options: "-c:a libmp3lame -b:a 64k -reservoir 0 -write_xing 0 -id3v2_version 0 -f mp3",
  bytesPerSecond: FRAME_BYTES / FRAME_SECONDS,
};

/** One of two channels, as MP3. */
export const toChannel = (channel: number): Target => ({
  ...MP3,
  filters: `aformat=channel_layouts=stereo,pan=mono|c0=c${channel},${MP3.filters}`,
});

/** Samples of 16 bits for the local model: one channel, 16,000 a second. */
export const SOUND: Target = {
  filters: "aformat=sample_rates=16000:channel_layouts=mono",
  options: "-c:a pcm_s16le -f s16le",
  bytesPerSecond: 32_000,
};

/** Samples a second that are enough to tell how loud a channel is. */
export const LEVELS_RATE = 4_000;

/** A WAV file with all channels, to tell how loud each is. Its length is limited as if there were two. */
export const LEVELS: Target = {
  filters: `aformat=sample_rates=${LEVELS_RATE}`,
  options: "-c:a pcm_s16le -bitexact -f wav",
  bytesPerSecond: 4 * LEVELS_RATE,
};

interface Conversion<Result> {
  readonly format: AudioFormat;
  /** The recording, with the index of an M4A first. */
  readonly audio: AsyncIterable<Uint8Array>;
  readonly maxSeconds: number;
  /** Default: MP3 with one channel. */
  readonly to?: Target;
  /** Stores what is converted. */
  readonly write: (converted: AsyncIterable<Uint8Array>) => Promise<Result>;
}

/** Processor time in seconds, address space in bytes, open files; it can't write to a file. The last one is time in ms. */
const RESOURCES = ["--cpu=1800", "--as=1073741824", "--nofile=64", "--fsize=0", "--core=0"];
const TIMEOUT = 3_600_000;
const NICE = 10;

/** A name of the demuxer for each format. Playlists have demuxers of their own. */
const DEMUXERS: Readonly<Record<AudioFormat, string>> = {
  ...{ mp3: "mp3", wav: "wav", m4a: "mov", ogg: "ogg", flac: "flac", webm: "matroska" },
};
const DECODERS = [
  ..."mp3float mp3 mp2float mp2 aac alac opus libopus vorbis libvorbis flac adpcm_ms adpcm_ima_wav".split(
    " ",
  ),
  ..."u8 s16le s16be s24le s24be s32le s32be f32le f32be f64le alaw mulaw"
    .split(" ")
    .map((kind) => `pcm_${kind}`),
].join(",");

const toArguments = (format: AudioFormat, { filters, options }: Target): string[] => [
  ..."-hide_banner -nostdin -nostats -loglevel repeat+info -threads 1 -filter_threads 1".split(" "),
  ...["-protocol_whitelist", "pipe", "-format_whitelist", DEMUXERS[format], "-codec_whitelist", DECODERS],
  ...["-f", DEMUXERS[format], "-i", "pipe:0"],
  ..."-map 0:a:0 -vn -sn -dn -map_metadata -1 -map_chapters -1 -af".split(" "),
  filters,
  ...`${options} pipe:1`.split(" "),
];

/**
 * Converts a recording to MP3 for the transcriber, and hears where it is silent. What people upload can be hostile, so this is left to
 * a process of its own. It has pipes only: no files, no network, and none of this process's environment.
 * @throws ConversionError; what reading or storing audio throws
 */
export async function convert<Result>(
  { ffmpeg, prlimit }: Converter,
  { format, audio, maxSeconds, write, to = MP3 }: Conversion<Result>,
  signal: AbortSignal,
): Promise<Heard & { readonly written: Result }> {
  const child = spawn(prlimit, [...RESOURCES, "--", ffmpeg, ...toArguments(format, to)], {
    ...{ cwd: "/", env: { LC_ALL: "C", MALLOC_ARENA_MAX: "1" }, stdio: "pipe" },
    ...{ signal, timeout: TIMEOUT, killSignal: "SIGKILL" },
  });
  const ended = new Promise<number | null | Error>((resolve) => {
    child.once("error", resolve);
    child.once("close", resolve);
  });
  const silences = new SilenceReader();
  child.stderr.setEncoding("utf8").on("data", (text: string) => silences.read(text));
  try {
    if (child.pid !== undefined) lowerPriority(child.pid);
    const fed = feed(audio, child.stdin).catch((error: unknown) => {
      child.kill("SIGKILL");
      throw error;
    });
    const [written] = await Promise.all([write(limit(child.stdout, maxSeconds * to.bytesPerSecond)), fed]);
    const end = await ended;
    if (end instanceof Error) throw end;
    if (end !== 0) throw new ConversionError("unreadable");
    return { written, ...silences.finish() };
  } finally {
    child.kill("SIGKILL");
    await ended;
    signal.throwIfAborted();
  }
}

/** Lets requests go first. The process may have ended already. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICE);
  } catch {
    // It runs with the usual one.
  }
}

/** Sends audio until the process has read enough. */
async function feed(audio: AsyncIterable<Uint8Array>, stdin: Writable): Promise<void> {
  await pipeline(audio, stdin).catch((error: NodeJS.ErrnoException) => {
    if (!["EPIPE", "ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE"].includes(error.code ?? "")) throw error;
  });
}

/** Passes converted audio on. @throws ConversionError if there are more bytes of it than allowed */
async function* limit(converted: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of converted) {
    bytes += chunk.length;
    if (bytes > most) throw new ConversionError("tooLong");
    yield chunk;
  }
}
