import { limitTime } from "@minutes/background";

/** An OpenAI-compatible chat completions API. */
export interface ChatOptions {
  /** Base URL, `https://…/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  /** Timeout of a request in ms. */
  readonly timeout?: number;
}

/** A model that answers questions, and its limits. */
export interface AnswerModel extends ChatOptions {
  /** Maximum number of answers, and of tokens, per person and day. */
  readonly answersPerDay: number;
  readonly tokensPerDay: number;
}

/** Messages of a request, and its parameters other than the model. */
export interface ChatRequest {
  readonly messages: readonly { readonly role: "system" | "user"; readonly content: string }[];
  readonly [parameter: string]: unknown;
}

/** Maximum number of bytes read of an answer. */
const ANSWER_BYTES = 1024 * 1024;

/**
 * Sends one request and yields its answer's body. Ends the request as soon as the reader stops. A redirect fails, because
 * it would send the content elsewhere.
 * @param timeout of the whole answer in ms, unless the options have one
 * @throws Error without content for any other answer, and for one that is too long
 */
export async function* requestChat(
  { url, model, key, timeout: own }: ChatOptions,
  parameters: ChatRequest,
  signal: AbortSignal,
  timeout: number,
): AsyncGenerator<Uint8Array> {
  const limit = limitTime(signal, own ?? timeout);
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const response = await limit.race(
      fetch(`${url.replace(/(?<!\/)\/+$/, "")}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
        body: JSON.stringify({ model, temperature: 0, ...parameters }),
        redirect: "error",
        signal: limit.signal,
      }),
    );
    body = response.body?.getReader();
    if (!response.ok) throw new Error(`The model answered ${response.status}.`);
    let size = 0;
    while (body) {
      const { value, done } = await limit.race(body.read());
      if (done) return;
      size += value.byteLength;
      if (size > ANSWER_BYTES) throw new Error("The model's answer is too long.");
      yield value;
    }
  } finally {
    limit.end();
    await body?.cancel().catch(() => {});
  }
}
