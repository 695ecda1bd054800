import { setTimeout } from "node:timers/promises";
import type { Database } from "@minutes/db";
import type { Embedder, QueryVector } from "./embedder.js";

/** How search stands: with similarity, or why without. */
export type SimilarityState =
  | { readonly mode: "words"; readonly reason: string }
  | { readonly mode: "similarity" | "failing"; readonly name: string };

/** Similarity as search uses it: never late, never failing. */
export interface SimilaritySearch {
  readonly influence: Embedder["influence"];
  readonly state: () => SimilarityState;
  /** The query's vector, or null when the embedder has none, fails, is late, or failed a moment ago. */
  query(db: Database, caller: string, text: string): Promise<QueryVector | null>;
  /** Begins to make vectors for what has none; resolves to a function that ends it. */
  start(db: Database): () => Promise<void>;
}

export interface SimilarityOptions {
  /** Told when it starts to fail, with a reason without content, and when it works again, with null. */
  readonly onChange?: (reason: string | null) => void;
  /** Milliseconds that a query may take. */
  readonly budget?: number;
  /** Milliseconds for which a failed embedder is left alone. */
  readonly rest?: number;
  /** Milliseconds between looks for new meetings. */
  readonly interval?: number;
  /** Done now and then beside the embedder's work. */
  readonly tidy?: (db: Database) => Promise<void>;
}

/** Milliseconds between two times of tidying. */
const TIDY_INTERVAL = 600_000;

/** Guards an embedder: search answers by words while it is down, says so once, and doesn't wait for it each time. */
export function withCircuitBreaker(embedder: Embedder, options: SimilarityOptions = {}): SimilaritySearch {
  const { onChange = () => {}, budget = 2_000, rest = 10_000, interval = 2_000 } = options;
  let failing = false;
  let restUntil = 0;
  const failed = (error: unknown) => {
    restUntil = performance.now() + rest;
    if (!failing) onChange(reasonOf(error));
    failing = true;
  };
  const worked = () => {
    if (failing) onChange(null);
    failing = false;
  };

  return {
    influence: embedder.influence,
    state: () => ({ mode: failing ? "failing" : "similarity", name: embedder.name }),

    async query(db, caller, text) {
      if (failing && performance.now() < restUntil) return null;
      try {
        const result = await inTime(budget, (signal) => embedder.query(db, caller, text, signal));
        worked();
        return result;
      } catch (error) {
        failed(error);
        return null;
      }
    },

    start(db) {
      const stopWork = repeat(async (signal) => {
        let done = 0;
        try {
          done = await embedder.work(db, signal);
          if (done > 0) worked();
        } catch (error) {
          if (!signal.aborted) failed(error);
        }
        return failing ? rest : done > 0 ? 0 : interval;
      });
      const stopTidying = options.tidy && tidily(db, options.tidy);
      return async () => {
        await Promise.all([stopWork(), stopTidying?.()]);
      };
    },
  };
}

/** Words alone, for a reason that `/ready` tells. */
export const wordsOnly = (reason: string, tidy: (db: Database) => Promise<void>): SimilaritySearch => ({
  influence: { share: 0, finds: false },
  state: () => ({ mode: "words", reason }),
  query: async () => null,
  start: (db) => tidily(db, tidy),
});

/** What fails is tried the next time: nobody waits for it. */
const tidily = (db: Database, tidy: (db: Database) => Promise<void>) =>
  repeat(async () => {
    await tidy(db).catch(() => {});
    return TIDY_INTERVAL;
  });

/** Does something again and again, each time after the milliseconds that it asks for. @returns what ends it */
function repeat(step: (signal: AbortSignal) => Promise<number>): () => Promise<void> {
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) await pause(await step(stop.signal), stop.signal);
  };
  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}

/** A name that holds no content: the sentence of an embedding error, the name of any other. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.name === "EmbeddingError" ? error.message : error.name) : "unknown";

async function inTime<Result>(
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.timeout(milliseconds);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return Promise.race([run(signal), late]);
}

/** Ends early when the signal does. Node's own takes its listener away: this signal lives as long as the process. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {});
