import { listContentWords, splitIntoWords, toTerm } from "./words.js";

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

/** Finds the sentence of a passage with the most of a query's words, the first one of several. */
export function findSentence({ text, segments }: Passage, query: string): FoundSentence {
  const terms = new Set(listContentWords(query).map(({ term }) => term));
  const countTerms = (sentence: string) =>
    new Set(
      splitIntoWords(sentence)
        .map(toTerm)
        .filter((term) => terms.has(term)),
    ).size;
  const lines = text.split("\n");
  let best: FoundSentence = { sentence: "", position: null, speakerName: null, startSeconds: null };
  let most = -1;
  for (const [at, line] of lines.entries()) {
    const turn = lines.length === segments.length ? segments[at] : segments[0];
    const { position = null, speakerName = null, startSeconds = null } = turn ?? {};
    const said = line.startsWith(`${speakerName}: `) ? line.slice(`${speakerName}: `.length) : line;
    for (const sentence of said.split(/(?<=[.!?…])\s+/u)) {
      const count = countTerms(sentence);
      if (count <= most) continue;
      best = { sentence, position, speakerName, startSeconds };
      most = count;
    }
  }
  return best;
}
