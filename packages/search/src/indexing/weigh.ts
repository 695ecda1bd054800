import { MAX_WEIGHT, PLACES_PER_CHUNK, RANKING, WEIGHT_STEPS } from "../ranking.js";
import { standardise, WordComparison, WordNumbers } from "./cohesion.js";
import type { Lexemes } from "./lexemes.js";

/** A chunk as the database's text search reads it. */
export interface AnalyzedChunk {
  readonly spoken: Lexemes;
  /** Lexemes that count for the chunk although nobody says them in it: its speakers' names and the meeting's title. */
  readonly context: Iterable<string>;
}

/** Everything that search needs to know about one term in one meeting. */
export interface Posting {
  readonly term: string;
  /** How many chunks contain it. */
  readonly chunks: number;
  /** The first chunk of `weights`. */
  readonly first: number;
  /** The term's weight in each chunk from `first` on, in `WEIGHT_STEPS`. */
  readonly weights: Uint8Array;
  /** The highest of the weights. */
  readonly best: number;
  /** Where it is said: chunk × PLACES_PER_CHUNK + position in the chunk. */
  readonly places: readonly number[];
}

/** A term's occurrences in a meeting, in order of the chunks. */
interface Occurrences {
  readonly chunks: number[];
  readonly counts: number[];
  /** How far behind the middle of its chunk it is said, in chunks, summed over its occurrences there. */
  readonly late: number[];
  readonly places: number[];
}

/**
 * Computes the weight of each term in each chunk of a meeting: BM25's saturated count, of counts that spread over
 * neighbouring chunks, less across a change of matter. It depends on the meeting alone and is computed once; a search
 * multiplies it with what depends on the caller.
 * @see docs/decisions/0050-lexical-search.md
 */
export function weighTerms(chunks: readonly AnalyzedChunk[]): Posting[] {
  const terms = collectOccurrences(chunks);
  const spread = computeSpread(computePermeability(terms, chunks.length));
  const dampers = computeLengthNorms(terms, spread);
  return [...terms.keys()].sort().map((term) => {
    const { chunks: within, counts, late, places } = terms.get(term) as Occurrences;
    // Further from its occurrences a term weighs nothing.
    const begin = Math.max(0, (within[0] ?? 0) - SPREAD_CHUNKS.back);
    const end = Math.min(chunks.length, (within.at(-1) ?? 0) + SPREAD_CHUNKS.onward + 1);
    const weights = new Float64Array(end - begin);
    within.forEach((from, nth) => {
      for (const { at, factor, tilt } of spread[from] ?? []) {
        const more = factor * (counts[nth] ?? 0) + tilt * (late[nth] ?? 0);
        weights[at - begin] = (weights[at - begin] ?? 0) + more;
      }
    });
    for (let at = 0; at < weights.length; at++) {
      const count = weights[at] ?? 0;
      if (count > 0) weights[at] = (count * (RANKING.k1 + 1)) / (count + (dampers[begin + at] ?? 1));
    }
    const { first, ...packed } = packWeights(weights);
    return { term, chunks: within.length, places, first: begin + first, ...packed };
  });
}

/** The most chunks between an occurrence and a chunk for which it counts. */
const SPREAD_CHUNKS = { onward: RANKING.spread.onward.length - 1, back: RANKING.spread.back.length - 1 };

function collectOccurrences(chunks: readonly AnalyzedChunk[]): Map<string, Occurrences> {
  const terms = new Map<string, Occurrences>();
  const add = (term: string, chunk: number, count: number, late: number, places: readonly number[]) => {
    let known = terms.get(term);
    if (!known) {
      known = { chunks: [], counts: [], late: [], places: [] };
      terms.set(term, known);
    }
    const last = known.chunks.length - 1;
    if (known.chunks[last] === chunk) known.counts[last] = (known.counts[last] ?? 0) + count;
    else {
      known.chunks.push(chunk);
      known.counts.push(count);
      known.late.push(late);
    }
    for (const place of places)
      if (place < PLACES_PER_CHUNK) known.places.push(chunk * PLACES_PER_CHUNK + place);
  };
  chunks.forEach(({ spoken, context }, at) => {
    let length = 1;
    for (const places of spoken.values()) for (const place of places) if (place > length) length = place;
    for (const [term, places] of spoken) {
      let late = 0;
      for (const place of places) late = late + place / length - 0.5;
      add(term, at, Math.max(1, places.length), late, places);
    }
    for (const term of context) add(term, at, 1, 0, []);
  });
  return terms;
}

/** Computes how much of a count passes between each chunk and the next: 1 on average, less where they share few words. */
function computePermeability(terms: ReadonlyMap<string, Occurrences>, chunks: number): number[] {
  const numbering = new WordNumbers();
  const words: number[][] = Array.from({ length: chunks }, () => []);
  const rarity: number[] = [];
  for (const [term, { chunks: within, counts }] of terms) {
    const word = numbering.getNumber(term);
    rarity[word] = Math.log((chunks + 1) / within.length);
    within.forEach((at, nth) => {
      for (let count = counts[nth] ?? 0; count > 0; count--) words[at]?.push(word);
    });
  }
  const { window, strength, least, most } = RANKING.boundaries;
  const comparison = new WordComparison(Float64Array.from(rarity));
  const all = Int32Array.from(words.flat());
  const starts = [0];
  for (const { length } of words) starts.push((starts.at(-1) ?? 0) + length);
  const takeAround = (from: number, to: number) => all.subarray(starts[Math.max(0, from)], starts[to]);
  const alike = words
    .slice(1)
    .map((_, at) =>
      comparison.computeSimilarity(takeAround(at + 1 - window, at + 1), takeAround(at + 1, at + 1 + window)),
    );
  return standardise(alike).map((value) => Math.max(least, Math.min(most, 1 + strength * value)));
}

/** A chunk that another's counts reach. */
interface Reached {
  readonly at: number;
  /** How much of a count arrives. */
  readonly factor: number;
  /** How much more arrives of what is said a chunk later, and less of what is said earlier. */
  readonly tilt: number;
}

/** Finds for each chunk the chunks that its counts reach. */
function computeSpread(open: readonly number[]): Reached[][] {
  const { onward, back } = RANKING.spread;
  return Array.from({ length: open.length + 1 }, (_, from) => {
    const reached: Reached[] = [{ at: from, factor: 1, tilt: 0 }];
    for (const [step, shape] of [
      [-1, back],
      [1, onward],
    ] as const) {
      let passed = 1;
      for (let distance = 1; distance < shape.length; distance++) {
        const at = from + step * distance;
        if (at < 0 || at > open.length) break;
        passed *= open[step > 0 ? at - 1 : at] ?? 1;
        const [nearer = 0, factor = 0, further = 0] = shape.slice(distance - 1, distance + 2);
        const arriving = Math.min(1, passed);
        reached.push({ at, factor: factor * arriving, tilt: ((step * (nearer - further)) / 2) * arriving });
      }
    }
    return reached;
  });
}

/** Computes BM25's k1 · (1 − b + b · length / mean length) of each chunk; the length includes counts that reach it. */
function computeLengthNorms(
  terms: ReadonlyMap<string, Occurrences>,
  spread: readonly (readonly Reached[])[],
): number[] {
  const own = new Float64Array(spread.length);
  for (const { chunks, counts } of terms.values())
    chunks.forEach((at, nth) => {
      own[at] = (own[at] ?? 0) + (counts[nth] ?? 0);
    });
  const lengths = new Float64Array(spread.length);
  for (const [from, reached] of spread.entries())
    for (const { at, factor } of reached) lengths[at] = (lengths[at] ?? 0) + factor * (own[from] ?? 0);
  const usual = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1;
  return Array.from(lengths, (length) => RANKING.k1 * (1 - RANKING.b + (RANKING.b * length) / usual));
}

function packWeights(weights: Float64Array): Pick<Posting, "first" | "weights" | "best"> {
  const steps = new Uint8Array(weights.length);
  let first = -1;
  let last = -1;
  let best = 0;
  for (let at = 0; at < weights.length; at++) {
    const step = Math.min(WEIGHT_STEPS, Math.round(((weights[at] ?? 0) / MAX_WEIGHT) * WEIGHT_STEPS));
    if (step === 0) continue;
    steps[at] = step;
    if (first < 0) first = at;
    last = at;
    if (step > best) best = step;
  }
  return { first: Math.max(0, first), weights: steps.slice(Math.max(0, first), last + 1), best };
}
