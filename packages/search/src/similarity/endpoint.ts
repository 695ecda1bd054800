import { setTimeout } from "node:timers/promises";
import { limitTime } from "@minutes/background";
import { EmbeddingError, type EmbeddingModel } from "./model.js";

export interface EndpointOptions {
  /** URL of an OpenAI-compatible API, with or without `/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  /** Delay before the first retry for chunks, in ms. Doubles with each retry. */
  readonly pause?: number;
}

/** Texts per request, and attempts per batch. */
const BATCH = 64;
const ATTEMPTS = 4;
/** Timeout of a request, in ms. */
const REQUEST_TIMEOUT = 30_000;
/** Maximum accepted `Retry-After`, in ms. */
const RETRY_AFTER_MAX = 60_000;
/** Statuses worth a retry. */
const RETRYABLE = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

/**
 * Creates a model for any endpoint that speaks OpenAI's `/v1/embeddings`: OpenAI, Ollama, TEI, vLLM and others. Chunks
 * are sent in batches and retried while the endpoint is busy, after its `Retry-After`. A query is sent once.
 */
export function createEndpointModel(options: EndpointOptions): EmbeddingModel {
  const { model, key, pause = 1_000 } = options;
  const address = toEmbeddingsUrl(options.url);

  async function request(input: readonly string[], signal: AbortSignal): Promise<number[][]> {
    const limit = limitTime(signal, REQUEST_TIMEOUT);
    try {
      const response = await limit.race(
        fetch(address, {
          method: "POST",
          headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
          body: JSON.stringify({ model, input, encoding_format: "float" }),
          redirect: "error",
          signal: limit.signal,
        }),
      );
      if (!response.ok) {
        await response.body?.cancel();
        throw new Refusal(response.status, getRetryAfter(response));
      }
      return parseVectors(await limit.race(response.json()), input.length);
    } finally {
      limit.end();
    }
  }

  async function requestWithRetries(input: readonly string[], signal: AbortSignal): Promise<number[][]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await request(input, signal);
      } catch (error) {
        signal.throwIfAborted();
        const retryable =
          !(error instanceof EmbeddingError) || (error instanceof Refusal && RETRYABLE.has(error.status));
        if (!retryable || attempt === ATTEMPTS) throw toContentFreeError(error);
        const asked = error instanceof Refusal ? error.wait : 0;
        await setTimeout(Math.max(asked, pause * 2 ** (attempt - 1)), undefined, { signal });
      }
    }
  }

  return {
    name: model,
    embed: async (texts, kind, signal) => {
      if (kind === "query")
        return request(texts, signal).catch((error) => {
          throw toContentFreeError(error);
        });
      const vectors: number[][] = [];
      for (let at = 0; at < texts.length; at += BATCH)
        vectors.push(...(await requestWithRetries(texts.slice(at, at + BATCH), signal)));
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

/** Converts a failure to an error that names its kind, without content or address. */
function toContentFreeError(error: unknown): EmbeddingError {
  if (error instanceof EmbeddingError) return error;
  const timeout = error instanceof Error && /^(Timeout|Abort)Error$/.test(error.name);
  return new EmbeddingError(
    timeout ? "the endpoint did not answer in time" : "the endpoint can't be reached",
  );
}

function toEmbeddingsUrl(url: string): URL {
  const address = new URL(url);
  if (!/\/embeddings\/?$/.test(address.pathname)) {
    const path = address.pathname.replace(/\/$/, "");
    address.pathname = `${/\/v\d+$/.test(path) ? path : `${path}/v1`}/embeddings`;
  }
  return address;
}

function parseVectors(body: unknown, count: number): number[][] {
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

function getRetryAfter(response: Response): number {
  const after = response.headers.get("retry-after");
  if (after === null) return 0;
  const seconds = Number(after);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(after) - Date.now();
  return Math.min(RETRY_AFTER_MAX, Math.max(0, wait || 0));
}
