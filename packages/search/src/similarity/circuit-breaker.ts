import { startLoop } from "@minutes/background";
import { type Database, withTimeout } from "@minutes/db";
import type { Embedder, QueryVector } from "./embedder.js";
import { EmbeddingError } from "./model.js";

/** How search stands: with similarity, or why without. */
export type SimilarityState =
  | { readonly mode: "words"; readonly reason: string }
  | { readonly mode: "similarity" | "failing"; readonly name: string };

/** Similarity as search uses it: never late, never failing. */
export interface SimilaritySearch {
  readonly state: () => SimilarityState;
  /** Resolves to null when the embedder fails, is late, or failed a moment ago: then words alone decide. */
  embedQuery(text: string): Promise<QueryVector | null>;
  /** Begins to make vectors for meetings that have none; returns a function that ends it. */
  startEmbedding(db: Database): () => Promise<void>;
}

export interface CircuitBreakerOptions {
  /** Called with a reason without content when it starts to fail, and with null when it works again. */
  readonly onChange?: (reason: string | null) => void;
  /** Milliseconds that a query may take. Default 2,000. */
  readonly queryTimeout?: number;
  /** Milliseconds for which a failed embedder is left alone. Default 10,000. */
  readonly cooldown?: number;
  /** Milliseconds between looks for new meetings. Default 2,000. */
  readonly pollInterval?: number;
  /** Milliseconds from the start until the first look, which keeps a start quick. Default 0. */
  readonly startDelay?: number;
}

/** Lets search go by words while an embedder fails, tells of it once, and doesn't wait for it each time. */
export function withCircuitBreaker(
  embedder: Embedder,
  options: CircuitBreakerOptions = {},
): SimilaritySearch {
  const {
    onChange = () => {},
    queryTimeout = 2_000,
    cooldown = 10_000,
    pollInterval = 2_000,
    startDelay = 0,
  } = options;
  let failing = false;
  let openUntil = 0;
  const recordFailure = (error: unknown) => {
    openUntil = performance.now() + cooldown;
    if (!failing) onChange(describeFailure(error));
    failing = true;
  };
  const recordSuccess = () => {
    if (failing) onChange(null);
    failing = false;
  };

  return {
    state: () => ({ mode: failing ? "failing" : "similarity", name: embedder.name }),

    async embedQuery(text) {
      if (failing && performance.now() < openUntil) return null;
      try {
        const late = new AbortController();
        const result = await withTimeout(embedder.embedQuery(text, late.signal), queryTimeout, () => {
          late.abort();
          throw new EmbeddingError("the query was not embedded in time");
        });
        recordSuccess();
        return result;
      } catch (error) {
        recordFailure(error);
        return null;
      }
    },

    startEmbedding(db) {
      let begun = startDelay === 0;
      const loop = startLoop({
        step: async (signal) => {
          if (!begun) {
            begun = true;
            return startDelay;
          }
          try {
            const done = await embedder.embedMeetings(db, signal);
            if (done > 0) recordSuccess();
            return failing ? cooldown : done > 0 ? 0 : pollInterval;
          } catch (error) {
            if (!signal.aborted) recordFailure(error);
            return cooldown;
          }
        },
        onFault: recordFailure,
      });
      return loop.stop;
    },
  };
}

/** Creates a search by words alone, for a reason that `/ready` tells. */
export const createWordsOnlySearch = (reason: string): SimilaritySearch => ({
  state: () => ({ mode: "words", reason }),
  embedQuery: async () => null,
  startEmbedding: () => async () => {},
});

/** Names an error without content: the sentence of an embedding error, the name of any other. */
const describeFailure = (error: unknown): string =>
  error instanceof EmbeddingError ? error.message : error instanceof Error ? error.name : "unknown";
