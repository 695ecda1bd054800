/** A word as parsed by the text search. Stop words have no lexemes but take a position. */
export interface WordReading {
  /** Each lexeme with its position in the word, from 1. */
  readonly lexemes: readonly (readonly [lexeme: string, place: number])[];
  /** Number of positions the word takes. */
  readonly length: number;
}

/** Maximum number of cached words, about 5 MB. */
const WORDS_MAX = 20_000;

/** Caches how one text-search configuration parses words. */
export class WordCache {
  readonly #readings = new Map<string, WordReading>();

  /** @param key identifies the configuration and the dictionaries it uses */
  constructor(readonly key: string) {}

  get(word: string): WordReading | undefined {
    return this.#readings.get(word);
  }

  /** Adds a word. A full cache drops its older half; frequent words soon return. */
  add(word: string, reading: WordReading): void {
    this.#readings.set(word, reading);
    if (this.#readings.size <= WORDS_MAX) return;
    let surplus = WORDS_MAX / 2;
    for (const older of this.#readings.keys()) {
      if (surplus-- === 0) break;
      this.#readings.delete(older);
    }
  }
}
