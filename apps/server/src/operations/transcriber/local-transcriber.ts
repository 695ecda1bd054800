import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism, setPriority } from "node:os";
import { type SpokenSegment, type Transcriber, TranscriberError, writePrompt } from "@minutes/core";
import type { AudioFormat } from "@minutes/transcripts/audio";
import { ConversionError, type Converter, convert, SOUND } from "../audio/convert.js";
import { streamMp4 } from "../audio/stream-mp4.js";
import type { SpeechModel } from "./catalogue.js";
import { cutSpeech, type Speech } from "./speech.js";

export interface LocalTranscriberOptions {
  readonly model: SpeechModel;
  /** Where the model is installed. */
  readonly directory: string;
  readonly converter: Converter;
  /** Idle time in ms after which the process ends, which frees its memory. */
  readonly idle?: number;
  /** Timeout of a recording in ms. */
  readonly timeout?: number;
}

/** A transcriber on this machine. */
export interface LocalTranscriber {
  readonly transcribe: Transcriber;
  /** Transcribes 28 seconds of average speech. @returns how many seconds of sound a second of work is for */
  measure(): Promise<number>;
  stop(): void;
}

const IDLE = 60_000;
const TIMEOUT = 2 * 3_600_000;
const NICE = 10;
/** Maximum length of a recording in seconds. A long one comes in parts. */
const LONGEST = 2 * 3_600;
/** A window for measuring, in seconds, and the number of tokens that people say in it. */
const MEASURED = { seconds: 28, tokens: 100 };

interface Request {
  readonly samples: Buffer;
  readonly prompt?: string;
  /** The model's number of the language; without, it is detected. */
  readonly language?: number | undefined;
  /** Generates exactly this number of tokens, to measure. */
  readonly tokens?: number;
}

interface Answer {
  readonly segments: readonly SpokenSegment[];
  readonly language: number;
}

/** Creates a transcriber that runs a model in a process of its own, one recording at a time. The process starts when it is needed. */
export function createLocalTranscriber(options: LocalTranscriberOptions): LocalTranscriber {
  const { converter, idle, timeout = TIMEOUT } = options;
  const process = new ModelProcess(options, idle ?? IDLE);
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  };
  return {
    transcribe: (audio, signal) =>
      inTurn(async () => {
        signal.throwIfAborted();
        const deadline = AbortSignal.timeout(timeout);
        const stop = AbortSignal.any([signal, deadline]);
        try {
          const prompt = writePrompt([...audio.vocabulary.personal, ...audio.vocabulary.team]);
          return await hear(process, await listen(converter, audio, stop), prompt, stop);
        } catch (error) {
          signal.throwIfAborted();
          if (deadline.aborted) throw new TranscriberError(TOO_SLOW, "time");
          throw error instanceof ConversionError
            ? new TranscriberError(REASONS[error.reason], "recording")
            : error;
        }
      }),
    measure: () =>
      inTurn(async () => {
        const samples = Buffer.alloc(MEASURED.seconds * 32_000);
        const { signal } = new AbortController();
        const { language } = await process.ask({ samples, tokens: 1 }, signal);
        const start = performance.now();
        await process.ask({ samples, language, tokens: MEASURED.tokens }, signal);
        return (MEASURED.seconds * 1_000) / (performance.now() - start);
      }),
    stop: () => process.end(),
  };
}

const TOO_SLOW = "The local transcriber did not finish in time. Split the recording, or set TRANSCRIBER_URL.";
const FAILED =
  "The local transcriber failed. Check that the machine has 2 GB of free memory, or install it again: minutes transcriber use whisper-base.";
const REASONS = {
  unreadable: "The recording can't be decoded. Check that it plays.",
  tooLong: "The recording is longer than two hours. Split it, or upload it to a server.",
} as const;

/** Decodes a recording, and lists where somebody can speak. */
async function listen(
  converter: Converter,
  { bytes, extension }: Parameters<Transcriber>[0],
  signal: AbortSignal,
): Promise<readonly Speech[]> {
  const write = async (sound: AsyncIterable<Uint8Array>) => {
    const found: Speech[] = [];
    for await (const speech of cutSpeech(sound)) found.push(speech);
    return found;
  };
  const format = extension as AudioFormat;
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = async (at: number, length: number) => content.subarray(at, at + length);
  async function* stream(from?: number, to?: number) {
    yield content.subarray(from, to);
  }
  const audio = format === "m4a" ? streamMp4({ size: content.length, read, stream }) : stream();
  const job = { format, audio, maxSeconds: LONGEST, write, to: SOUND };
  return (await convert(converter, job, signal)).written;
}

/** Transcribes windows, all in the language of the first one. */
async function hear(
  process: ModelProcess,
  windows: readonly Speech[],
  prompt: string,
  signal: AbortSignal,
): Promise<readonly SpokenSegment[]> {
  const heard: SpokenSegment[] = [];
  let language: number | undefined;
  for (const { at, samples } of windows) {
    const answer = await process.ask({ samples, prompt, language }, signal);
    language = answer.language;
    for (const { text, start, end } of answer.segments)
      heard.push({ text, start: at + start, end: at + end });
  }
  return heard;
}

/** The process of the model. It has none of this process's environment, and ends when it is idle. */
class ModelProcess {
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | undefined;
  readonly #options: LocalTranscriberOptions;
  readonly #idleTime: number;

  constructor(options: LocalTranscriberOptions, idle: number) {
    this.#options = options;
    this.#idleTime = idle;
  }

  /** Transcribes a window. @throws TranscriberError; the signal's reason, after the process was ended */
  async ask(request: Request, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    const onAbort = () => this.end();
    signal.addEventListener("abort", onAbort);
    try {
      return await answerOf(child, request);
    } catch (error) {
      this.end();
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#idle = setTimeout(() => this.end(), this.#idleTime).unref();
    }
  }

  end(): void {
    clearTimeout(this.#idle);
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  #start(): ChildProcess {
    const { model, directory } = this.#options;
    const threads = Math.max(1, Math.floor(availableParallelism() / 2));
    const child = fork(
      new URL("./whisper-process.js", import.meta.url),
      [directory, model.repository, model.directory, String(threads)],
      {
        cwd: directory,
        env: {},
        execArgv: [],
        serialization: "advanced",
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      },
    );
    if (child.pid !== undefined) lowerPriority(child.pid);
    child.unref();
    child.channel?.unref();
    return child;
  }
}

/** Sends a request to the process and waits for the answer, or its end. */
const answerOf = (child: ChildProcess, request: Request): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const finish = (answer: Answer | null) => {
      child.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
      child.channel?.unref();
      child.unref();
      if (answer) resolve(answer);
      else reject(new TranscriberError(FAILED));
    };
    const onMessage = ({ done }: { readonly done?: Answer }) => finish(done ?? null);
    const onEnd = () => finish(null);
    child.ref();
    child.channel?.ref();
    child.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
    child.send(request, (error) => error && onEnd());
  });

/** Lets requests go first. The process may have ended already. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICE);
  } catch {
    // It runs with the usual one.
  }
}
