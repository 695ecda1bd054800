import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { EmbeddingError, type EmbeddingModel } from "@minutes/search";

export interface BuiltinModelOptions {
  /** Milliseconds without work after which the model is unloaded. Default 30,000. */
  readonly idle?: number;
  /** The worker's file; another one in tests. */
  readonly worker?: URL;
}

/**
 * Bounds of the worker's heap in megabytes; the weights are outside of it. After a collection it holds 17: without
 * bounds it keeps twice as much in garbage.
 */
const HEAP = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };
/** The rest after each run for chunks, in times of what the run took, so that requests have their turn. */
const REST = 0.5;

interface Answer {
  readonly id: number;
  readonly vectors?: number[][];
  /** Set instead of vectors when the model failed; has no content. */
  readonly failure?: string;
}

/**
 * Creates the sentence encoder that comes with the server: English, 512 dimensions. It runs in a worker thread, is loaded when
 * first needed, and is unloaded when it is idle.
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
    const loaded = new Worker(file, { resourceLimits: HEAP });
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
    name: "built-in English model",
    windows: true,
    embed: async (texts, kind, signal) => {
      if (kind === "query") return run(texts, true);
      const vectors: number[][] = [];
      // One text per run: a query waits for one run at most, and texts of one length need no padding.
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
