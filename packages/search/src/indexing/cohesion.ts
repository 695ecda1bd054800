/** Words as numbers, so that bags of them are arrays. */
export class WordNumbers {
  readonly #numbers = new Map<string, number>();
  getNumber(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    this.#numbers.set(word, this.#numbers.size);
    return this.#numbers.size - 1;
  }
  get size(): number {
    return this.#numbers.size;
  }
}

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

  /** Compares two stretches: from 0, no word in common, to 1. */
  computeSimilarity(left: Int32Array, right: Int32Array): number {
    const before = this.#left;
    const after = this.#right;
    const rarities = this.#rarity;
    for (const word of left) before[word] = (before[word] ?? 0) + 1;
    for (const word of right) after[word] = (after[word] ?? 0) + 1;
    let product = 0;
    let leftSquares = 0;
    let rightSquares = 0;
    // A word counts where it is met first; its bag is empty again afterwards.
    for (const word of left) {
      const count = before[word] ?? 0;
      if (count === 0) continue;
      const rarity = rarities[word] ?? 0;
      const weight = logOneMore(count) * rarity;
      leftSquares += weight * weight;
      product += weight * logOneMore(after[word] ?? 0) * rarity;
      before[word] = 0;
    }
    for (const word of right) {
      const count = after[word] ?? 0;
      if (count === 0) continue;
      rightSquares += (logOneMore(count) * (rarities[word] ?? 0)) ** 2;
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
 * Works in any language: words that are everywhere in the meeting count little.
 */
export function measureCohesion(pieces: readonly string[]): number[] {
  const numbering = new WordNumbers();
  const said: number[] = [];
  const boundaries: number[] = [];
  for (const piece of pieces) {
    boundaries.push(said.length);
    for (const word of piece.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      said.push(numbering.getNumber(word));
  }
  const words = Int32Array.from(said);
  const comparison = new WordComparison(computeRarity(words, numbering.size));
  return [
    0,
    ...standardise(
      boundaries
        .slice(1)
        .map((at) =>
          comparison.computeSimilarity(
            words.subarray(Math.max(0, at - WINDOW), at),
            words.subarray(at, at + WINDOW),
          ),
        ),
    ),
  ];
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
