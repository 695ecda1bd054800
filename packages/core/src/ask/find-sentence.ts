import { expandQuery } from "@minutes/search";
import { fold, listContentWords, splitIntoWords, toTerm } from "./words.js";

interface Passage {
  /** One line per turn, which begins with the speaker's name. */
  readonly text: string;
  /** The turns; empty for a title, summary or task. */
  readonly segments: readonly {
    readonly position: number;
    readonly speakerName: string;
    readonly startSeconds: number | null;
  }[];
}

/** A sentence, and where it was said; null for a title, summary or task. */
export interface FoundSentence {
  readonly sentence: string;
  readonly position: number | null;
  readonly speakerName: string | null;
  readonly startSeconds: number | null;
}

/**
 * Finds the sentence of a passage with the most of a query's words, or words of a similar meaning, the first one of several. If
 * none has any, the longest one says most.
 */
export function findSentence({ text, segments }: Passage, query: string): FoundSentence {
  const rate = createRating(query);
  const lines = text.split("\n");
  let best: FoundSentence = { sentence: "", position: null, speakerName: null, startSeconds: null };
  let most = 0;
  for (const [at, line] of lines.entries()) {
    const turn = lines.length === segments.length ? segments[at] : segments[0];
    const { position = null, speakerName = null, startSeconds = null } = turn ?? {};
    const said = line.startsWith(`${speakerName}: `) ? line.slice(`${speakerName}: `.length) : line;
    for (const sentence of said.split(/(?<=[.!?…])\s+/u)) {
      const rating = rate(sentence);
      if (rating < most || (rating === most && (most > 0 || sentence.length <= best.sentence.length)))
        continue;
      best = { sentence, position, speakerName, startSeconds };
      most = rating;
    }
  }
  return best;
}

/** Returns how much of a query is in a sentence: 1 for each of its words, less for one of similar meaning. */
function createRating(query: string): (sentence: string) => number {
  const terms = listContentWords(query).map(({ term }) => term);
  const weights = new Map(terms.map((term) => [term, new Map([[term, 1]])]));
  for (const { term, expansion, weight } of expandQuery(fold(query))) {
    const similar = weights.get(term);
    if (similar && !similar.has(expansion)) similar.set(expansion, weight);
  }
  return (sentence) => {
    const said = [...new Set(splitIntoWords(sentence).map(toTerm))];
    return [...weights.values()].reduce(
      (sum, similar) => sum + Math.max(0, ...said.map((term) => similar.get(term) ?? 0)),
      0,
    );
  };
}
