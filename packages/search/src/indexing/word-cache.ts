/** A word as the text search reads it. Stop words have no lexemes, and take up a place. */
export interface WordReading {
  /** Each lexeme with its place in the word, from 1. */
  readonly lexemes: readonly (readonly [lexeme: string, place: number])[];
  /** How many places the word takes up. */
  readonly length: number;
}

/** Words that are remembered: some 5 MB. */
const WORDS_MAX = 20_000;

/** Remembers how one configuration of the text search reads words. */
export class WordCache {
  readonly #readings = new Map<string, WordReading>();

  /** @param key names the configuration, and everything in the database that it reads words by */
  constructor(readonly key: string) {}

  get(word: string): WordReading | undefined {
    return this.#readings.get(word);
  }

  /** Adds a word. When there are too many, the older half is forgotten; what is said often soon comes back. */
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
