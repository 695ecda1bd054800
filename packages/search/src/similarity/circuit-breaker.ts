import { startLoop } from "@minutes/background";
import { type Database, withTimeout } from "@minutes/db";
import type { Embedder, QueryVector } from "./embedder.js";
import { EmbeddingError } from "./model.js";

/** State of semantic search: available, or why not. */
export type SimilarityState =
  | { readonly mode: "words"; readonly reason: string }
  | { readonly mode: "similarity" | "failing"; readonly name: string };

/** The embedder behind a circuit breaker: bounded latency, never throws. */
export interface SimilaritySearch {
  readonly state: () => SimilarityState;
  /** Resolves to null if the embedder fails, times out, or failed recently: words alone decide then. */
  embedQuery(text: string): Promise<QueryVector | null>;
  /**
   * Starts creating vectors for meetings without any; returns a function that stops it.
   * @param db null if another process creates them: then it only loads the model, and notices when it works again
   */
  startEmbedding(db: Database | null): () => Promise<void>;
}

/** Poll interval for new meetings, in ms. */
const POLL_INTERVAL = 2_000;
/** Maximum delay between two background calls of a failing embedder, in ms. */
const LONGEST_RETRY = 60_000;
/** What a failing embedder is asked to encode while no meeting and no query needs it. */
const PROBE = "test";

export interface CircuitBreakerOptions {
  /** Called with a content-free reason when it starts to fail, and with null when it works again. */
  readonly onChange?: (reason: string | null) => void;
  /** Timeout of a query in ms. Default 2,000. */
  readonly queryTimeout?: number;
  /** Time in ms for which a failed embedder is not called. Default 10,000. */
  readonly cooldown?: number;
  /** Delay of the first poll in ms, which keeps startup fast. Default 0. */
  readonly startDelay?: number;
}

/**
 * Falls back to lexical search while an embedder fails, reports the failure once, and skips calls during the cooldown.
 * The background work retries with backoff, so the state recovers without a query.
 */
export function withCircuitBreaker(
  embedder: Embedder,
  options: CircuitBreakerOptions = {},
): SimilaritySearch {
  const { onChange = () => {}, queryTimeout = 2_000, cooldown = 10_000, startDelay = 0 } = options;
  let failing = false;
  let openUntil = 0;
  const recordFailure = (error: unknown) => {
    openUntil = performance.now() + cooldown;
    if (!failing) onChange(describeFailure(error));
    failing = true;
  };
  let wake = () => {};
  const recordSuccess = () => {
    if (!failing) return;
    failing = false;
    onChange(null);
    wake();
  };
  /** Embeds a query. @returns null after a failure, which it records */
  const tryQuery = async (text: string): Promise<QueryVector | null> => {
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
  };

  return {
    state: () => ({ mode: failing ? "failing" : "similarity", name: embedder.name }),

    async embedQuery(text) {
      if (failing && performance.now() < openUntil) return null;
      return tryQuery(text);
    },

    startEmbedding(db) {
      let begun = startDelay === 0;
      let loaded = false;
      const load = async (signal: AbortSignal) => {
        if (!loaded) await embedder.embedQuery(PROBE, signal);
        loaded = true;
        return 0;
      };
      let retries = 0;
      const nextRetry = () => Math.min(cooldown * 2 ** retries++, LONGEST_RETRY);
      const loop = startLoop({
        step: async (signal) => {
          if (!begun) {
            begun = true;
            return startDelay;
          }
          try {
            const done = await (db === null ? load(signal) : embedder.embedMeetings(db, signal));
            if (done > 0) recordSuccess();
            else if (failing) await tryQuery(PROBE);
            if (failing) return nextRetry();
            retries = 0;
            return done > 0 ? 0 : POLL_INTERVAL;
          } catch (error) {
            if (!signal.aborted) recordFailure(error);
            return nextRetry();
          }
        },
        onFault: recordFailure,
      });
      wake = loop.wake;
      return loop.stop;
    },
  };
}

/** Creates a lexical-only search with a reason for `/ready`. */
export const createWordsOnlySearch = (reason: string): SimilaritySearch => ({
  state: () => ({ mode: "words", reason }),
  embedQuery: async () => null,
  startEmbedding: () => async () => {},
});

/** Describes an error without content: the message of an embedding error, the name of any other. */
const describeFailure = (error: unknown): string =>
  error instanceof EmbeddingError ? error.message : error instanceof Error ? error.name : "unknown";
