import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { EmbeddingError, type EmbeddingModel } from "@minutes/search";

export interface BuiltinModelOptions {
  /** Idle time in ms after which the model is unloaded. Default 30,000. */
  readonly idle?: number;
  /** The worker's file; replaced in tests. */
  readonly worker?: URL;
  /** The directory of the model's files; replaced in tests. */
  readonly directory?: string;
}

/**
 * Heap limits of the worker in MB; the weights are outside of the heap. It uses 17 after a collection; without limits
 * it keeps twice as much garbage.
 */
const HEAP = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };
/** The result of `measureScale` for this model. */
const SCALE = { unrelated: 0.06, weight: 1.25, limit: 0.244 };
/** Pause after each run for chunks, relative to the run's duration, so that requests are answered. */
const REST = 0.5;

interface Answer {
  readonly id: number;
  readonly vectors?: number[][];
  /** Set instead of vectors if the model failed. Has no content. */
  readonly failure?: string;
}

/**
 * Creates the built-in sentence encoder: English, 384 dimensions. It runs in a worker thread, is loaded on demand, and
 * is unloaded when idle.
 */
export function createBuiltinModel(options: BuiltinModelOptions = {}): EmbeddingModel {
  const { idle = 30_000, worker: file = new URL("./builtin-worker.js", import.meta.url) } = options;
  const waiting = new Map<number, { resolve(vectors: number[][]): void; reject(error: Error): void }>();
  let worker: Worker | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let last = 0;

  const end = (reason: string) => {
    const ended = worker;
    worker = null;
    clearTimeout(idleTimer);
    for (const { reject } of waiting.values()) reject(new EmbeddingError(reason));
    waiting.clear();
    void ended?.terminate();
  };
  const load = () => {
    const loaded = new Worker(file, { resourceLimits: HEAP, workerData: { directory: options.directory } });
    loaded.unref();
    loaded.on("message", ({ id, vectors, failure }: Answer) => {
      const request = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0)
        idleTimer = globalThis.setTimeout(() => end("the built-in model was idle"), idle).unref();
      if (vectors) request?.resolve(vectors);
      else request?.reject(new EmbeddingError(`the built-in model failed (${failure})`));
    });
    const onEnd = () => worker === loaded && end("the built-in model ended");
    loaded.on("error", onEnd).on("exit", onEnd);
    return loaded;
  };
  const run = (texts: readonly string[], urgent: boolean) =>
    new Promise<number[][]>((resolve, reject) => {
      worker ??= load();
      clearTimeout(idleTimer);
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.postMessage({ id: last, texts, urgent });
    });

  return {
    name: "built-in all-MiniLM-L6-v2",
    scale: SCALE,
    embed: async (texts, kind, signal) => {
      if (kind === "query") return run(texts, true);
      const vectors: number[][] = [];
      // One text per run: a query waits for at most one run, and no padding is needed.
      for (const text of texts) {
        signal.throwIfAborted();
        const began = performance.now();
        vectors.push(...(await run([text], false)));
        await setTimeout(REST * (performance.now() - began), undefined, { signal, ref: false });
      }
      return vectors;
    },
  };
}
