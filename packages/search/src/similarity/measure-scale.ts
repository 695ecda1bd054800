import type { SimilarityScale } from "./embedder.js";
import { SCALE_TEXTS } from "./scale-texts.js";

/** Weight of one unit of the log odds that a passage answers a question, relative to coverage. @see docs/decisions/0100-semantic-search.md */
const STEP = 0.033;
/** Limit of relevance in standard deviations of unrelated pairs. @see docs/decisions/0278-relevance.md */
const LIMIT = 2.4;

/**
 * Measures the scale of a model's cosines with texts that come with the server, so no tenant's content influences it. A question
 * is closer to its own passage than to the others if the model tells texts apart. The weight is that of a linear
 * discriminant: the distance between the means of related and unrelated pairs, divided by the variance of unrelated pairs. A
 * model that can't tell them apart gets 0.
 * @param embed returns unit vectors
 */
export async function measureScale(
  embed: (texts: readonly string[], kind: "query" | "chunk") => Promise<readonly (readonly number[])[]>,
): Promise<SimilarityScale> {
  const queries = await embed(
    SCALE_TEXTS.map(([query]) => query),
    "query",
  );
  const passages = await embed(
    SCALE_TEXTS.map(([, passage]) => passage),
    "chunk",
  );
  const cosines = queries.map((query) => passages.map((passage) => multiply(query, passage)));
  const related = cosines.map((row, at) => row[at] ?? 0);
  const unrelated = cosines.flatMap((row, at) => row.filter((_, other) => other !== at));
  const mean = average(unrelated);
  const variance = average(unrelated.map((cosine) => (cosine - mean) ** 2));
  const distance = average(related) - mean;
  const weight = distance > 0 && variance > 0 ? (STEP * distance) / variance : 0;
  return { unrelated: mean, weight, limit: LIMIT * Math.sqrt(variance) * weight };
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const multiply = (left: readonly number[], right: readonly number[]) =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
