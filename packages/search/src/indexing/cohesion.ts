/** Logarithms of one more than a count. Nearly all counts are small. */
const LOGARITHMS = Float64Array.from({ length: 256 }, (_, count) => Math.log(1 + count));
const logOneMore = (count: number): number => LOGARITHMS[count] ?? Math.log(1 + count);

/** Compares stretches of words, given as their numbers: the cosine of their bags, weighted by rarity. */
export class WordComparison {
  readonly #rarity: Float64Array;
  readonly #left: Float64Array;
  readonly #right: Float64Array;

  /** @param rarity the weight of each word by its number */
  constructor(rarity: Float64Array) {
    this.#rarity = rarity;
    this.#left = new Float64Array(rarity.length);
    this.#right = new Float64Array(rarity.length);
  }

  /**
   * Compares the words between `from` and `middle` with those from there to `to`: from 0, no word in common, to 1.
   * @param words the words' numbers
   * @param counts how often each of them is said at its place
   */
  computeSimilarity(words: Int32Array, counts: Int32Array, from: number, middle: number, to: number): number {
    const before = this.#left;
    const after = this.#right;
    const rarities = this.#rarity;
    for (let at = from; at < middle; at++) {
      const word = words[at] as number;
      before[word] = (before[word] as number) + (counts[at] as number);
    }
    for (let at = middle; at < to; at++) {
      const word = words[at] as number;
      after[word] = (after[word] as number) + (counts[at] as number);
    }
    let product = 0;
    let leftSquares = 0;
    let rightSquares = 0;
    // A word counts where it is met first; its bag is empty again afterwards.
    for (let at = from; at < middle; at++) {
      const word = words[at] as number;
      const count = before[word] as number;
      if (count === 0) continue;
      const rarity = rarities[word] as number;
      const weight = logOneMore(count) * rarity;
      leftSquares += weight * weight;
      product += weight * logOneMore(after[word] as number) * rarity;
      before[word] = 0;
    }
    for (let at = middle; at < to; at++) {
      const word = words[at] as number;
      const count = after[word] as number;
      if (count === 0) continue;
      const weight = logOneMore(count) * (rarities[word] as number);
      rightSquares += weight * weight;
      after[word] = 0;
    }
    return leftSquares > 0 && rightSquares > 0 ? product / Math.sqrt(leftSquares * rightSquares) : 0;
  }
}

/** Converts values to standard deviations from their mean. */
export function standardise(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
  const deviation = Math.sqrt(variance) || 1;
  return values.map((value) => (value - mean) / deviation);
}

/** Words on either side of a boundary that are compared. */
const WINDOW = 100;
/** Words of the stretches whose number tells how common a word is in the meeting. */
const STRETCH = 50;

/**
 * Measures how much the talk before each boundary shares its words with the talk after it, in standard deviations of
 * the meeting; low where the matter changes. Entry `n` belongs to the boundary before piece `n`, entry 0 to none.
 * Works in any language: words that are everywhere in the meeting count little. A piece is given by its words, which may
 * have punctuation about them.
 */
export function measureCohesion(pieces: readonly (readonly string[])[]): number[] {
  const numbers = new Map<string, number>();
  // Reading a word is dear, and most of a meeting's words were said before in it.
  const known = new Map<string, readonly number[]>();
  const said: number[] = [];
  const boundaries: number[] = [];
  for (const piece of pieces) {
    boundaries.push(said.length);
    for (const written of piece) {
      let words = known.get(written);
      if (!words) {
        words = (written.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => {
          const number = numbers.get(word) ?? numbers.size;
          numbers.set(word, number);
          return number;
        });
        known.set(written, words);
      }
      for (const word of words) said.push(word);
    }
  }
  const words = Int32Array.from(said);
  const once = new Int32Array(words.length).fill(1);
  const comparison = new WordComparison(computeRarity(words, numbers.size));
  const alike = boundaries
    .slice(1)
    .map((at) =>
      comparison.computeSimilarity(
        words,
        once,
        Math.max(0, at - WINDOW),
        at,
        Math.min(words.length, at + WINDOW),
      ),
    );
  return [0, ...standardise(alike)];
}

function computeRarity(words: Int32Array, size: number): Float64Array {
  const stretches = new Float64Array(size);
  const total = Math.max(1, Math.ceil(words.length / STRETCH));
  // The stretch, from 1, in which each word was met last.
  const latest = new Int32Array(size);
  words.forEach((word, at) => {
    const stretch = Math.floor(at / STRETCH) + 1;
    if (latest[word] === stretch) return;
    latest[word] = stretch;
    stretches[word] = (stretches[word] ?? 0) + 1;
  });
  return stretches.map((count) => Math.log(total / count));
}
