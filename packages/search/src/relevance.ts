import type { Relevance } from "@minutes/contract";
import { RANKING } from "./ranking.js";
import type { SimilarityScale } from "./similarity/embedder.js";

/** The parts of a ranked chunk that decide whether it is relevant. */
interface Scored {
  readonly score: number;
  readonly coverage: number;
  readonly similarity: number;
  readonly isCompared: boolean;
  readonly visibleChunks: number;
}

/**
 * Marks each chunk of an answer as a match, or as related if its evidence is weak, absolutely or next to the best one's. If all
 * chunks have less than little evidence, nothing answers the query, and the list becomes empty. A chunk without a vector is judged
 * by its words.
 * @param scale of the model that compared the chunks; absent in a lexical search
 * @see docs/decisions/0278-relevance.md
 */
export function classifyChunks<Chunk extends Scored>(
  chunks: readonly Chunk[],
  scale: SimilarityScale | undefined,
): (Chunk & { readonly relevance: Relevance })[] {
  const { reliable, words, wordsWithModel, matchWords, matchScore } = RANKING.relevance;
  const share = Math.min(1, (chunks[0]?.visibleChunks ?? 0) / reliable);
  if (!chunks.some(createTest(chunks, scale, (scale ? wordsWithModel : words) * share, share))) return [];
  const isEvident = createTest(chunks, scale, matchWords, 1);
  const least = matchScore * Math.max(...chunks.map(({ score }) => score));
  return chunks.map((chunk) => ({
    ...chunk,
    relevance: isEvident(chunk) && chunk.score >= least ? "match" : "related",
  }));
}

/** Tests a chunk's coverage against `words`, or its sum with the similarity against a share of the model's limit. */
function createTest(
  chunks: readonly Scored[],
  scale: SimilarityScale | undefined,
  words: number,
  share: number,
): (chunk: Scored) => boolean {
  const isCovered = ({ coverage }: Scored) => coverage > words;
  const unknown = chunks.some(isCovered) ? 1 : RANKING.relevance.unknown;
  const limit = Math.max(words, (scale?.limit ?? 0) * RANKING.similarity.weight * unknown * share);
  return (chunk) =>
    scale && chunk.isCompared ? chunk.coverage + chunk.similarity > limit : isCovered(chunk);
}
