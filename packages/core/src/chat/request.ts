/** An OpenAI-compatible chat completions API. */
export interface ChatOptions {
  /** Base URL, `https://…/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch;
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
 * Sends one request. A redirect fails, because it would send the content elsewhere.
 * @param timeout in ms, unless the options have one
 * @returns the chunks of a successful answer's body
 * @throws Error without content for any other answer, and for one that is too long
 */
export async function requestChat(
  { url, model, key, fetch: request = fetch, timeout: own }: ChatOptions,
  body: ChatRequest,
  signal: AbortSignal,
  timeout: number,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await request(`${url.replace(/(?<!\/)\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, temperature: 0, ...body }),
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(own ?? timeout)]),
  });
  if (response.ok) return limitLength(response.body);
  await response.body?.cancel();
  throw new Error(`The model answered ${response.status}.`);
}

async function* limitLength(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > ANSWER_BYTES) throw new Error("The model's answer is too long.");
    yield chunk;
  }
}
