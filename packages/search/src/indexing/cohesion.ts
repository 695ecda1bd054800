import type { Steps } from "@minutes/db";

/** Cached logarithms of count + 1. Nearly all counts are small. */
const LOGARITHMS = Float64Array.from({ length: 256 }, (_, count) => Math.log(1 + count));
const logOneMore = (count: number): number => LOGARITHMS[count] ?? Math.log(1 + count);

/** Compares sequences of word numbers by the cosine of their bags of words, weighted by rarity. */
export class WordComparison {
  readonly #rarity: Float64Array;
  readonly #left: Float64Array;
  readonly #right: Float64Array;

  /** @param rarity weight of each word, indexed by word number */
  constructor(rarity: Float64Array) {
    this.#rarity = rarity;
    this.#left = new Float64Array(rarity.length);
    this.#right = new Float64Array(rarity.length);
  }

  /**
   * Compares the words in `from`–`middle` with those in `middle`–`to`: 0 without common words, up to 1.
   * @param words word numbers
   * @param counts count of each word at its position
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
    // Each word counts at its first occurrence; its bag is empty afterwards.
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

/** Converts values to standard scores. */
export function standardise(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
  const deviation = Math.sqrt(variance) || 1;
  return values.map((value) => (value - mean) / deviation);
}

/** Number of words compared on either side of a boundary. */
const WINDOW = 100;
/** Number of pieces per step. */
const STEP = 64;
/** Length in words of the stretches used to count how common a word is in the meeting. */
const STRETCH = 50;

/**
 * Measures the cohesion at each boundary: how much vocabulary the text before it shares with the text after it, as
 * standard scores within the meeting. Low values mean a change of topic. Entry `n` belongs to the boundary before piece
 * `n`; entry 0 is unused. Independent of the language: words common throughout the meeting count little. A piece is
 * given by its words, which can include punctuation.
 */
export function* measureCohesion(pieces: readonly (readonly string[])[]): Steps<number[]> {
  const numbers = new Map<string, number>();
  // Normalizing a word is expensive, and most words of a meeting repeat.
  const known = new Map<string, readonly number[]>();
  const said: number[] = [];
  const boundaries: number[] = [];
  for (const piece of pieces) {
    boundaries.push(said.length);
    if (boundaries.length % STEP === 0) yield;
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
  const alike: number[] = [];
  for (const at of boundaries.slice(1)) {
    const to = Math.min(words.length, at + WINDOW);
    alike.push(comparison.computeSimilarity(words, once, Math.max(0, at - WINDOW), at, to));
    if (alike.length % STEP === 0) yield;
  }
  return [0, ...standardise(alike)];
}

function computeRarity(words: Int32Array, size: number): Float64Array {
  const stretches = new Float64Array(size);
  const total = Math.max(1, Math.ceil(words.length / STRETCH));
  // The last stretch, from 1, that contained each word.
  const latest = new Int32Array(size);
  words.forEach((word, at) => {
    const stretch = Math.floor(at / STRETCH) + 1;
    if (latest[word] === stretch) return;
    latest[word] = stretch;
    stretches[word] = (stretches[word] ?? 0) + 1;
  });
  return stretches.map((count) => Math.log(total / count));
}
