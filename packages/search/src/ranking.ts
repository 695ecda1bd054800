/**
 * Version of the stored index. Increment it with every change of its content, so that `reindex` finds outdated
 * meetings.
 */
export const VERSION = 4;

/** The parameters of the ranking. @see docs/decisions/0050-word-search.md */
export const RANKING = {
  /** BM25's saturation of counts, and the strength of its length normalization. */
  k1: 1.8,
  b: 0.4,
  /**
   * Share of a term's count that reaches neighboring chunks, by distance. People name a topic and then talk about it,
   * so text after a word belongs to it more than text before it.
   */
  spread: { onward: [1, 0.7, 0.5, 0.3, 0.2, 0.1], back: [1, 0.3, 0.15] },
  /**
   * Spread across boundaries: number of chunks compared on either side, and the effect of a deviation from the mean.
   */
  boundaries: { window: 3, strength: 0.15, least: 0.05, most: 1.5 },
  /** Maximum number of different terms of a query, in each language. Each is looked up in every visible meeting. */
  terms: 40,
  /** How much a term's rarity among meetings adds to its rarity among chunks. */
  meetingRarity: 0.2,
  /** Two query terms in the same order within this distance count as an additional term. */
  phraseReach: 2,
  /** Weight of a term that only names the occasion: "… when discussing the budget". */
  occasion: 0.6,
  /** Bonus for words of a speaker named in the query; `part` if only half of their name or more is in the query. */
  speaker: { weight: 0.4, part: 0.3, least: 0.5 },
  /** Share of a meeting's mean chunk score added to each of its chunks. */
  meeting: 0.5,
  /** Number of meetings scored by words, in addition to those found by similarity, and size of the lexical shortlist. */
  meetings: { scored: 60, close: 40 },
  /**
   * Notes: score factor, so the transcript ranks first where both match, and saturation of their counts,
   * lower because a summary names a topic once.
   */
  notes: { weight: 0.7, k1: 0.9 },
  /** Weight of an expansion relative to the query's own term, and the maximum lookups of expansions per search. */
  expansion: { weight: 0.7, lookups: 6_000 },
  similarity: {
    /** Factor of the weight of a model's similarity, which is relative to coverage. */
    weight: 0.92,
    /** Share of a chunk's similarity that reaches the chunks after and before it. */
    smoothing: { onward: [0.55, 0.3], back: [0.45, 0.2] },
    /**
     * Where words decide: if every term of the query is found, each in at most this share of the visible chunks,
     * similarity counts by this factor.
     */
    rare: { share: 0.02, factor: 0.2 },
    /**
     * Number of meetings added by similarity alone, and the maximum number of visible chunks for which that is done.
     */
    close: 20,
    searched: 8_000,
  },
  /** Relevance cutoffs. The model's own limit is in its scale. */
  relevance: {
    /** Coverage below which a lexical search has no results, and one with a model if the chunk has no vector. */
    words: 0.055,
    wordsWithModel: 0.045,
    /** Coverage from which words alone make a result a match. */
    matchWords: 0.12,
    /** Share of the best result's score below which a result is only related to what the best one matches. */
    matchScore: 0.3,
    /** Factor applied to the model's limit if no chunk has enough coverage: the query's words are unknown. */
    unknown: 1.25,
    /** Number of visible chunks from which rarity is reliable. With fewer, less refuses a query, but a match needs as much. */
    reliable: 150,
  },
} as const;

/** The weight of the highest step. */
export const MAX_WEIGHT = RANKING.k1 + 1;
export const WEIGHT_STEPS = 255;
/**
 * Position of the first chunk of a meeting's notes: its title, summary and tasks. A transcript has a few thousand chunks
 * at most.
 */
export const NOTES_FROM = 16_384;
/** Distance between the first positions of two chunks in `places`. A chunk has up to about 300 words. */
export const CHUNK_STRIDE = 512;
