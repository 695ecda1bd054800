import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Vocabulary } from "@minutes/contract";
import { z } from "zod";
import {
  ModelAnswerTooLong,
  type ModelEndpoint,
  ModelRefusal,
  readModelAnswer,
  requestModel,
} from "../lib/http/request-model.js";

/** A recording to transcribe. */
interface Audio {
  readonly bytes: Uint8Array;
  /** Usual extension of its format, such as `mp3`. The file's own name stays here: it can tell who met. */
  readonly extension: string;
  /** Terms that are likely to be said. */
  readonly vocabulary: Vocabulary;
}

/** A piece of speech, with seconds from the start. */
export type SpokenSegment = z.output<typeof Segment>;

/** Transcribes a recording. @throws TranscriberError with a sentence for the person who waits */
export type Transcriber = (audio: Audio, signal: AbortSignal) => Promise<readonly SpokenSegment[]>;

export interface TranscriberOptions extends ModelEndpoint {
  readonly model: string;
  /** Timeout of a request in ms. */
  readonly timeout?: number;
  /** Delay before the first retry in ms, if the endpoint asks for none. Doubles with each retry. */
  readonly pause?: number;
}

/** Why a recording could not be transcribed. The message has neither content nor addresses. */
export class TranscriberError extends Error {
  override name = "TranscriberError";
  /** @param about the recording, which fails again; the service, which can work later; or the time, which perhaps never suffices */
  constructor(
    message: string,
    readonly about: "recording" | "service" | "time" = "service",
  ) {
    super(message);
  }
}

/** A model on a small machine can need as long as the recording lasts. */
const TIMEOUT = 2 * 3_600_000;
/** Attempts while the endpoint is busy, first pause in ms, and maximum accepted `Retry-After`. */
const ATTEMPTS = 4;
const PAUSE = 2_000;
const RETRY_AFTER_MAX = 60_000;
/** Statuses of an endpoint that is busy. */
const BUSY = [429, 503];
/** Maximum number of bytes read of an answer: a day of speech with the times of words. */
const ANSWER_BYTES = 64 * 1024 * 1024;
/** Maximum length of the prompt in UTF-16 units. Whisper reads the last 224 tokens of it. */
const PROMPT_LENGTH = 800;

const Segment = z.object({
  text: z.string(),
  start: z.number().nonnegative(),
  end: z.number().nonnegative(),
  /** A label or a number, if the model distinguishes speakers. */
  speaker: z.union([z.string(), z.number()]).nullish().catch(null),
});
const Answer = z.object({ segments: z.array(Segment) });

/** Creates a transcriber for an OpenAI-compatible `/v1/audio/transcriptions`. */
export function createTranscriber(options: TranscriberOptions): Transcriber {
  const { pause = PAUSE } = options;
  return async (audio, signal) => {
    const request = {
      path: "/audio/transcriptions",
      body: writeForm(options.model, audio),
      timeout: options.timeout ?? TIMEOUT,
      answerBytes: ANSWER_BYTES,
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return parseAnswer(await readModelAnswer(requestModel(options, request, signal)));
      } catch (error) {
        signal.throwIfAborted();
        const busy = error instanceof ModelRefusal && BUSY.includes(error.status) ? error : null;
        const wait = busy?.retryAfter ?? pause * 2 ** (attempt - 1);
        if (!busy || attempt === ATTEMPTS || wait > RETRY_AFTER_MAX) throw explain(error);
        await setTimeout(wait, undefined, { signal });
      }
    }
  };
}

/** Writes the request's form. It is sent as a whole, so that a retry can send it again. */
function writeForm(model: string, { bytes, extension, vocabulary }: Audio) {
  const boundary = `minutes-${randomUUID()}`;
  const prompt = writePrompt([...vocabulary.personal, ...vocabulary.team]);
  const fields = {
    model,
    response_format: "verbose_json",
    "timestamp_granularities[]": "segment",
    ...(prompt === "" ? {} : { prompt }),
  };
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="recording.${extension}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const content = Buffer.concat([
    Buffer.from(texts.join("") + file),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, content };
}

/** Writes as many terms as a model reads. */
export function writePrompt(terms: readonly string[]): string {
  let prompt = "";
  for (const term of new Set(terms)) {
    const longer = prompt === "" ? term : `${prompt}, ${term}`;
    if (longer.length > PROMPT_LENGTH) break;
    prompt = longer;
  }
  return prompt;
}

const MALFORMED =
  "The transcriber's answer has no segments with times: TRANSCRIBER_MODEL must support response_format=verbose_json, as whisper-1 does.";

/** Reads the segments of an answer. A parser's error would contain its text. */
function parseAnswer(text: string): readonly SpokenSegment[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TranscriberError(MALFORMED);
  }
  const { success, data } = Answer.safeParse(value);
  if (!success) throw new TranscriberError(MALFORMED);
  return data.segments;
}

/** Converts a failure to a sentence that says what to do. */
function explain(error: unknown): TranscriberError {
  if (error instanceof TranscriberError) return error;
  if (error instanceof ModelRefusal) {
    const { status } = error;
    return new TranscriberError(explainStatus(status), isAboutRequest(status) ? "recording" : "service");
  }
  if (error instanceof ModelAnswerTooLong)
    return new TranscriberError("The transcriber's answer is too long. Split the recording.", "recording");
  if (error instanceof Error && error.name === "TimeoutError")
    return new TranscriberError(
      "The transcriber did not answer in time. Split the recording, or use a faster model.",
      "time",
    );
  return new TranscriberError(
    "The transcriber can't be reached. Check TRANSCRIBER_URL, and that it is running.",
  );
}

/** Returns true for a status that the same request gets again, whatever the settings are. */
const isAboutRequest = (status: number): boolean =>
  status >= 400 && status < 500 && ![401, 403, 404, 408, ...BUSY].includes(status);

function explainStatus(status: number): string {
  if (status === 401 || status === 403)
    return `The transcriber refuses the key (${status}). Check TRANSCRIBER_KEY.`;
  if (status === 404)
    return "The transcriber has no such address or model (404). Check TRANSCRIBER_URL, which usually ends with /v1, and TRANSCRIBER_MODEL.";
  if (status === 413)
    return "The recording is too large for the transcriber (413). Compress it, for example to MP3 with 64 kbit/s, or split it.";
  if (BUSY.includes(status)) return `The transcriber is busy (${status}). Try again later.`;
  if (status < 500)
    return `The transcriber refuses the recording (${status}). Check that it plays, and that TRANSCRIBER_MODEL supports response_format=verbose_json.`;
  return `The transcriber failed (${status}). Try again later.`;
}
