import type { Database } from "@minutes/db";

/** A query as a point in a space of meanings. */
export interface QueryVector {
  /** Names the space: vectors of different spaces are never compared. */
  readonly space: string;
  readonly vector: readonly number[];
}

/**
 * What gives search a sense of similarity beyond equal words. Search needs nothing else of it, and answers by words
 * alone while it has none, or when it fails or is late.
 */
export interface Embedder {
  /** What it is, for the log, `/ready` and people who ask: never an address or a key. */
  readonly name: string;
  /** How much similarity counts against words, from 0 to 1, and whether it may find what no word matches. */
  readonly influence: { readonly share: number; readonly finds: boolean };
  /** The query in the space of what the caller may see; null while there is nothing to compare it with. */
  query(db: Database, caller: string, text: string, signal: AbortSignal): Promise<QueryVector | null>;
  /**
   * Makes vectors for some of the meetings that have none yet, or outdated ones; returns for how many. Several
   * processes may do so at once. Long work is given back to the event loop in between.
   */
  work(db: Database, signal: AbortSignal): Promise<number>;
}

/** `[0.1,-0.2]`, as pgvector reads it. Four digits tell more than any ranking needs. */
export const vectorText = (vector: Iterable<number>): string => {
  const digits: string[] = [];
  for (const value of vector) digits.push(value === 0 ? "0" : value.toPrecision(4));
  return `[${digits.join()}]`;
};
