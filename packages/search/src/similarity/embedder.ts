import type { Database } from "@minutes/db";

/** How the cosines of a model are interpreted. Models differ in the range of their cosines and in how much these tell. */
export interface SimilarityScale {
  /** The mean cosine of unrelated texts. */
  readonly unrelated: number;
  /** Weight of a cosine above `unrelated`, relative to coverage. */
  readonly weight: number;
  /** Minimum sum of coverage and similarity of a relevant chunk. The more similarities vary by chance, the higher it is. */
  readonly limit: number;
}

/** A query's embedding. */
export interface QueryVector {
  /** Identifies the vector space. Vectors of different spaces are never compared. */
  readonly space: string;
  /** Unit length. */
  readonly vector: readonly number[];
  readonly scale: SimilarityScale;
}

/** Adds semantic similarity to search. Without an embedder, or if it fails or times out, search uses words alone. */
export interface Embedder {
  /** Name for logs, `/ready` and users. Contains no address or key. */
  readonly name: string;
  /** Embeds a query in the same space as the meetings. */
  embedQuery(text: string, signal: AbortSignal): Promise<QueryVector>;
  /**
   * Creates vectors for some meetings whose vectors are missing or outdated. Resolves to their number. Safe to run in
   * several processes.
   */
  embedMeetings(db: Database, signal: AbortSignal): Promise<number>;
}

/** Formats a vector for pgvector, `[0.1,-0.2]`. Four digits are more than the ranking needs. */
export const toVectorText = (vector: Iterable<number>): string => {
  const digits: string[] = [];
  for (const value of vector) digits.push(value === 0 ? "0" : value.toPrecision(4));
  return `[${digits.join()}]`;
};

/** Scales a vector to unit length, so that the inner product is the cosine. Zero stays zero. */
export function toUnitLength(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => (length > 0 ? value / length : 0));
}
