import type { DetailedSearchResults } from "@minutes/contract";
import { RANKING } from "./ranking.js";
import type { SimilarityScale } from "./similarity/embedder.js";

type Relevance = DetailedSearchResults["results"][number]["relevance"];

/** The parts of a ranked chunk that decide whether it is relevant. */
interface Scored {
  readonly coverage: number;
  readonly similarity: number;
  readonly isCompared: boolean;
  readonly visibleChunks: number;
}

/**
 * Marks each chunk of an answer as a match or as related to one. Without a match, nothing answers the query, and the list becomes
 * empty. A chunk without a vector is judged by its words.
 * @param scale of the model that compared the chunks; absent in a lexical search
 * @see docs/decisions/0278-relevance.md
 */
export function classifyChunks<Chunk extends Scored>(
  chunks: readonly Chunk[],
  scale: SimilarityScale | undefined,
): (Chunk & { readonly relevance: Relevance })[] {
  const { reliable, unknown } = RANKING.relevance;
  const words = scale ? RANKING.relevance.wordsWithModel : RANKING.relevance.words;
  const share = Math.min(1, (chunks[0]?.visibleChunks ?? 0) / reliable);
  const isCovered = ({ coverage }: Scored) => coverage > words * share;
  const modelLimit = (scale?.limit ?? 0) * RANKING.similarity.weight;
  const limit = share * Math.max(words, modelLimit * (chunks.some(isCovered) ? 1 : unknown));
  const isMatch = (chunk: Scored) =>
    scale && chunk.isCompared ? chunk.coverage + chunk.similarity > limit : isCovered(chunk);
  const classified = chunks.map((chunk) => ({
    ...chunk,
    relevance: isMatch(chunk) ? ("match" as const) : ("related" as const),
  }));
  return classified.some(({ relevance }) => relevance === "match") ? classified : [];
}
