import { EmbeddingError, type EmbeddingModel } from "./model.js";

export interface EndpointOptions {
  /** Address of an OpenAI-compatible API, with or without `/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch;
  /** Milliseconds to wait before the second attempt at chunks; doubled for each further one. */
  readonly pause?: number;
}

/** Texts per request, and requests per batch before it is given up. */
const BATCH = 64;
const ATTEMPTS = 4;
/** Milliseconds for one request. */
const PATIENCE = 30_000;
/** Longest wait that an endpoint may ask for. */
const RETRY_AFTER_MAX = 60_000;
/** Answers that a later attempt may better. */
const PASSING = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

/**
 * Any endpoint that speaks OpenAI's `/v1/embeddings`: OpenAI, Ollama, TEI, vLLM and others. Chunks are sent in
 * batches, again when the endpoint is busy, and as late as it asks (`Retry-After`). A query is asked for once.
 */
export function endpointModel(options: EndpointOptions): EmbeddingModel {
  const { model, key, pause = 1_000 } = options;
  const send = options.fetch ?? fetch;
  const address = addressOf(options.url);

  async function request(input: readonly string[], signal: AbortSignal): Promise<number[][]> {
    const response = await send(address, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ model, input, encoding_format: "float" }),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Refusal(response.status, waitOf(response));
    }
    return vectorsOf(await response.json(), input.length);
  }

  async function patiently(input: readonly string[], signal: AbortSignal): Promise<number[][]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await request(input, signal);
      } catch (error) {
        signal.throwIfAborted();
        const passing =
          !(error instanceof EmbeddingError) || (error instanceof Refusal && PASSING.has(error.status));
        if (!passing || attempt === ATTEMPTS) throw nameless(error);
        const asked = error instanceof Refusal ? error.wait : 0;
        await sleep(Math.max(asked, pause * 2 ** (attempt - 1)), signal);
      }
    }
  }

  return {
    name: model,
    embed: async (texts, kind, signal) => {
      if (kind === "query")
        return request(texts, signal).catch((error) => {
          throw nameless(error);
        });
      const vectors: number[][] = [];
      for (let at = 0; at < texts.length; at += BATCH)
        vectors.push(...(await patiently(texts.slice(at, at + BATCH), signal)));
      return vectors;
    },
  };
}

class Refusal extends EmbeddingError {
  constructor(
    readonly status: number,
    readonly wait: number,
  ) {
    super(`the endpoint answered ${status}`);
  }
}

/** What may be said of a failure: its kind, and nothing of what was sent or where. */
function nameless(error: unknown): EmbeddingError {
  if (error instanceof EmbeddingError) return error;
  const timeout = error instanceof Error && /^(Timeout|Abort)Error$/.test(error.name);
  return new EmbeddingError(
    timeout ? "the endpoint did not answer in time" : "the endpoint can't be reached",
  );
}

function addressOf(url: string): URL {
  const address = new URL(url);
  if (!/\/embeddings\/?$/.test(address.pathname)) {
    const path = address.pathname.replace(/\/$/, "");
    address.pathname = `${/\/v\d+$/.test(path) ? path : `${path}/v1`}/embeddings`;
  }
  return address;
}

function vectorsOf(body: unknown, count: number): number[][] {
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count)
    throw new EmbeddingError("the endpoint's answer is not a list of one vector for each text");
  const vectors: number[][] = new Array(count);
  data.forEach((item: { index?: unknown; embedding?: unknown } | null, at) => {
    const index = typeof item?.index === "number" ? item.index : at;
    if (!Array.isArray(item?.embedding) || !item.embedding.every((value) => typeof value === "number"))
      throw new EmbeddingError("the endpoint's answer has no vectors of numbers");
    vectors[index] = item.embedding;
  });
  return Array.from(vectors, (vector) => vector ?? []);
}

function waitOf(response: Response): number {
  const after = response.headers.get("retry-after");
  if (after === null) return 0;
  const seconds = Number(after);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(after) - Date.now();
  return Math.min(RETRY_AFTER_MAX, Math.max(0, wait || 0));
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
