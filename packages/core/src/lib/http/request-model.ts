import { limitTime } from "@minutes/background";

/** An OpenAI-compatible API. */
export interface ModelEndpoint {
  /** Base URL, `https://…/v1`. */
  readonly url: string;
  readonly key?: string | undefined;
}

/** One request. Without a body, it is a GET. */
export interface ModelRequest {
  /** Path below the base URL, such as `/models`. */
  readonly path: string;
  readonly body?: { readonly type: string; readonly content: string | Uint8Array };
  /** Timeout of the whole answer in ms. */
  readonly timeout: number;
  /** Maximum number of bytes read of the answer. */
  readonly answerBytes: number;
}

/** An answer with another status than 2xx. */
export class ModelRefusal extends Error {
  override name = "ModelRefusal";
  constructor(
    readonly status: number,
    /** What `Retry-After` asks for, in ms; null without it. */
    readonly retryAfter: number | null,
  ) {
    super(`The model answered ${status}.`);
  }
}

/** An answer that is longer than the request allows. */
export class ModelAnswerTooLong extends Error {
  override name = "ModelAnswerTooLong";
  constructor() {
    super("The model's answer is too long.");
  }
}

/**
 * Sends one request and yields its answer's body. Ends the request as soon as the reader stops. A redirect is refused,
 * because it would send the content elsewhere. An answer can take longer than the five minutes that `fetch` allows.
 * @throws ModelRefusal, ModelAnswerTooLong; errors never contain content
 */
export async function* requestModel(
  { url, key }: ModelEndpoint,
  { path, body: sent, timeout, answerBytes }: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  // Loaded lazily: most processes never need it. In the bundle, CommonJS modules only have a default export.
  const { default: undici } = await import("undici");
  const limit = limitTime(signal, timeout);
  let body: AsyncIterator<Uint8Array> | undefined;
  let end: (() => void) | undefined;
  try {
    const request = undici.request(`${url.replace(/(?<!\/)\/+$/, "")}${path}`, {
      method: sent ? "POST" : "GET",
      headers: {
        ...(sent ? { "content-type": sent.type } : {}),
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
      body: sent?.content ?? null,
      signal: limit.signal,
      // These timeouts restart with each byte; the limit counts the whole answer.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // An answer that arrives after the limit must be discarded, too.
    request.then(
      (late) => limit.signal.aborted && late.body.destroy(),
      () => {},
    );
    const { statusCode, headers, body: answer } = await limit.race(request);
    end = () => void answer.on("error", () => {}).destroy();
    if (statusCode < 200 || statusCode > 299)
      throw new ModelRefusal(statusCode, readRetryAfter(headers["retry-after"]));
    body = answer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    let size = 0;
    for (;;) {
      const { value, done } = await limit.race(body.next());
      if (done) return;
      size += value.byteLength;
      if (size > answerBytes) throw new ModelAnswerTooLong();
      yield value;
    }
  } finally {
    limit.end();
    end?.();
  }
}

/** Reads `Retry-After`, in seconds or as a date, in ms. */
function readRetryAfter(value: string | string[] | undefined): number | null {
  if (typeof value !== "string" || value.trim() === "") return null;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Reads a whole answer as text. */
export async function readModelAnswer(answer: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
