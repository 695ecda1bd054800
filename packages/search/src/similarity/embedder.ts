import type { Database } from "@minutes/db";

/** A query as a point in a space of meanings. */
export interface QueryVector {
  /** Names the space: vectors of different spaces are never compared. */
  readonly space: string;
  /** Of unit length. */
  readonly vector: readonly number[];
}

/**
 * Gives search a sense of similarity beyond equal words. Search answers by words alone while it has none, or when it
 * fails or is late.
 */
export interface Embedder {
  /** What it is, for the log, `/ready` and people who ask: never an address or a key. */
  readonly name: string;
  /** Turns a query into a vector of the same space as the meetings. */
  embedQuery(text: string, signal: AbortSignal): Promise<QueryVector>;
  /**
   * Makes vectors for some of the meetings that have none yet, or outdated ones; resolves to how many. Several
   * processes may do so at once.
   */
  embedMeetings(db: Database, signal: AbortSignal): Promise<number>;
}

/** Writes a vector as pgvector reads it, `[0.1,-0.2]`. Four digits are more than any ranking needs. */
export const toVectorText = (vector: Iterable<number>): string => {
  const digits: string[] = [];
  for (const value of vector) digits.push(value === 0 ? "0" : value.toPrecision(4));
  return `[${digits.join()}]`;
};

/** Scales a vector to unit length, so that an inner product is a cosine. Zero stays zero. */
export function toUnitLength(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => (length > 0 ? value / length : 0));
}
