/**
 * The version of what is stored with a meeting. Raise it with every change of that, so that `reindex` finds the meetings
 * to index again.
 */
export const VERSION = 3;

/** The numbers that decide the order of results. @see docs/decisions/0051-ranking.md */
export const RANKING = {
  /** BM25's saturation of counts, and how much of a chunk's length it takes out. */
  k1: 1.8,
  b: 0.4,
  /**
   * What of a term's count reaches the chunks around its own, by distance. People name a matter and then talk about
   * it: what is said after a word belongs to it more than what was said before.
   */
  spread: { onward: [1, 0.7, 0.5, 0.3, 0.2, 0.1], back: [1, 0.3, 0.15] },
  /** How counts pass between chunks: chunks compared on either side, and what a deviation from the usual does. */
  boundaries: { window: 3, strength: 0.15, least: 0.05, most: 1.5 },
  /** How much the rarity of a term among meetings adds to its rarity among chunks. */
  meetingRarity: 0.2,
  /** Two terms of the query in one order within so many words count as a term of their own. */
  phraseReach: 2,
  /** What a term counts that only names the occasion: "… when discussing the budget". */
  occasion: 0.6,
  /** What the words of a speaker named in the query add; `part` when only half of their name or more is in it. */
  speaker: { weight: 0.4, part: 0.3, least: 0.5 },
  /** What the mean of its meeting's chunks adds to each chunk. */
  meeting: 0.5,
  /** Meetings whose chunks are scored by words, besides those near by similarity, and the size of the shortlist by words. */
  meetings: { scored: 60, close: 40 },
  /** How much an expansion counts beside the query's own term, and how often a search looks one up in a meeting. */
  expansion: { weight: 0.7, lookups: 6_000 },
  similarity: {
    /** How much similarity counts beside coverage, which goes from 0 to 1. */
    weight: 1,
    /** What of a chunk's similarity reaches the chunks after it, and those before it. */
    smoothing: { onward: [0.5, 0.3], back: [0.4, 0.2] },
    /** Meetings that similarity alone brings in, and up to how many visible chunks it is asked to. */
    close: 20,
    searched: 8_000,
  },
} as const;

/** The weight that the highest step stands for. */
export const MAX_WEIGHT = RANKING.k1 + 1;
export const WEIGHT_STEPS = 255;
/** More positions than a chunk of 300 words has. */
export const PLACES_PER_CHUNK = 512;
