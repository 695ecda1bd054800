import type { Steps } from "@minutes/db";
import { CHUNK_STRIDE, MAX_WEIGHT, RANKING, WEIGHT_STEPS } from "../ranking.js";
import { standardise, WordComparison } from "./cohesion.js";
import type { Lexemes } from "./read-lexemes.js";

/** A chunk as parsed by the database's text search. */
export interface AnalyzedChunk {
  readonly spoken: Lexemes;
  /** Lexemes that count although nobody says them in the chunk: its speakers' names and the meeting's title. */
  readonly context: Iterable<string>;
}

/** The index entry of one term in one meeting. */
export interface Posting {
  readonly term: string;
  /** Number of chunks that contain it. */
  readonly chunks: number;
  /** Index of the first chunk in `weights`. */
  readonly first: number;
  /** The weight in each chunk, starting with `first`, in `WEIGHT_STEPS`. */
  readonly weights: Uint8Array;
  /** The maximum of the weights. */
  readonly best: number;
  /** Occurrences: chunk × CHUNK_STRIDE + position in the chunk. */
  readonly places: readonly number[];
}

/** A term's occurrences in a meeting, in chunk order. */
interface Occurrences {
  readonly chunks: number[];
  readonly counts: number[];
  /** Distance in chunks of the occurrences from the middle of their chunk, summed; positive towards its end. */
  readonly late: number[];
  readonly places: number[];
}

/** Number of terms sorted per step: nearly always all of them. */
const SORTED = 10_000;
/** Number of terms, or of chunks compared, per step. In the longest meetings each takes some 20 µs. */
const STEP = 64;

/**
 * Computes the weight of each term in each chunk of a meeting: BM25's saturated counts, where counts spread to
 * neighboring chunks, and less across a change of topic. Depends only on the meeting and is computed once; a search
 * multiplies it with factors that depend on the caller.
 * @param isTranscript false for notes, whose counts stay in their chunk and don't depend on its length
 * @see docs/decisions/0050-word-search.md
 */
export function* weighTerms(chunks: readonly AnalyzedChunk[], isTranscript = true): Steps<Posting[]> {
  const terms = yield* collectOccurrences(chunks);
  const spread = isTranscript
    ? computeSpread(yield* computePermeability(terms, chunks.length))
    : chunks.map((_, at) => [{ at, factor: 1, tilt: 0 }]);
  yield;
  const dampers = isTranscript ? computeLengthNorms(terms, spread) : chunks.map(() => RANKING.notes.k1);
  yield;
  const names = [...terms.keys()];
  const postings: Posting[] = [];
  // One array reused for all terms: a meeting has some thousand.
  const weights = new Float64Array(chunks.length);
  for (let from = 0; from < names.length; from += SORTED) {
    for (const term of names.slice(from, from + SORTED).sort()) {
      postings.push(weigh(term));
      if (postings.length % STEP === 0) yield;
    }
  }
  return postings;

  function weigh(term: string): Posting {
    const { chunks: within, counts, late, places } = terms.get(term) as Occurrences;
    // Beyond this distance a term weighs nothing.
    const begin = Math.max(0, (within[0] as number) - SPREAD_CHUNKS.back);
    const end = Math.min(chunks.length, (within[within.length - 1] as number) + SPREAD_CHUNKS.onward + 1);
    weights.fill(0, begin, end);
    for (let nth = 0; nth < within.length; nth++) {
      const count = counts[nth] as number;
      const behind = late[nth] as number;
      const reached = spread[within[nth] as number] as readonly Reached[];
      for (let to = 0; to < reached.length; to++) {
        const { at, factor, tilt } = reached[to] as Reached;
        weights[at] = (weights[at] as number) + (factor * count + tilt * behind);
      }
    }
    for (let at = begin; at < end; at++) {
      const count = weights[at] as number;
      if (count > 0) weights[at] = (count * (RANKING.k1 + 1)) / (count + (dampers[at] as number));
    }
    return { term, chunks: within.length, places, ...packWeights(weights, begin, end) };
  }
}

/** Maximum distance in chunks that a count spreads. */
const SPREAD_CHUNKS = { onward: RANKING.spread.onward.length - 1, back: RANKING.spread.back.length - 1 };

function* collectOccurrences(chunks: readonly AnalyzedChunk[]): Steps<Map<string, Occurrences>> {
  const terms = new Map<string, Occurrences>();
  const add = (term: string, chunk: number, count: number, late: number): Occurrences => {
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
    return known;
  };
  for (const [at, { spoken, context }] of chunks.entries()) {
    if (at % 16 === 0) yield;
    let length = 1;
    for (const places of spoken.values()) for (const place of places) if (place > length) length = place;
    for (const [term, places] of spoken) {
      let late = 0;
      for (const place of places) late = late + place / length - 0.5;
      const known = add(term, at, Math.max(1, places.length), late);
      for (const place of places) if (place < CHUNK_STRIDE) known.places.push(at * CHUNK_STRIDE + place);
    }
    for (const term of context) add(term, at, 1, 0);
  }
  return terms;
}

/** Computes how much of a count passes between each chunk and the next: 1 on average, less if they share few words. */
function* computePermeability(terms: ReadonlyMap<string, Occurrences>, chunks: number): Steps<number[]> {
  // The terms of all chunks in order, with their counts.
  const starts = new Int32Array(chunks + 1);
  for (const { chunks: within } of terms.values())
    for (const at of within) starts[at + 1] = (starts[at + 1] as number) + 1;
  for (let at = 0; at < chunks; at++) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number);
  const next = starts.slice();
  const words = new Int32Array(starts[chunks] as number);
  const said = new Int32Array(words.length);
  const rarity = new Float64Array(terms.size);
  let word = 0;
  for (const { chunks: within, counts } of terms.values()) {
    rarity[word] = Math.log((chunks + 1) / within.length);
    for (let nth = 0; nth < within.length; nth++) {
      const chunk = within[nth] as number;
      const place = next[chunk] as number;
      words[place] = word;
      said[place] = counts[nth] as number;
      next[chunk] = place + 1;
    }
    word++;
    if (word % STEP === 0) yield;
  }
  const { window, strength, least, most } = RANKING.boundaries;
  const comparison = new WordComparison(rarity);
  const alike: number[] = [];
  for (let before = 0; before < chunks - 1; before++) {
    if (before % STEP === 0) yield;
    const [first, middle, last] = [before + 1 - window, before + 1, before + 1 + window];
    alike.push(
      comparison.computeSimilarity(
        words,
        said,
        starts[Math.max(0, first)] as number,
        starts[middle] as number,
        starts[Math.min(chunks, last)] as number,
      ),
    );
  }
  return standardise(alike).map((value) => Math.max(least, Math.min(most, 1 + strength * value)));
}

/** A chunk that another chunk's counts reach. */
interface Reached {
  readonly at: number;
  /** Share of the count that arrives. */
  readonly factor: number;
  /** How much this share grows per chunk of lateness of an occurrence, and shrinks for earlier ones. */
  readonly tilt: number;
}

/** Finds the chunks that each chunk's counts reach. */
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

/** Computes BM25's k1 · (1 − b + b · length / mean length) for each chunk. The length includes counts spread to it. */
function computeLengthNorms(
  terms: ReadonlyMap<string, Occurrences>,
  spread: readonly (readonly Reached[])[],
): number[] {
  const own = new Float64Array(spread.length);
  for (const { chunks, counts } of terms.values())
    for (let nth = 0; nth < chunks.length; nth++) {
      const at = chunks[nth] as number;
      own[at] = (own[at] ?? 0) + (counts[nth] as number);
    }
  const lengths = new Float64Array(spread.length);
  for (const [from, reached] of spread.entries())
    for (const { at, factor } of reached) lengths[at] = (lengths[at] ?? 0) + factor * (own[from] ?? 0);
  const usual = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1;
  return Array.from(lengths, (length) => RANKING.k1 * (1 - RANKING.b + (RANKING.b * length) / usual));
}

/** Scratch buffer for the steps of one term; grows to the longest list of weights. */
let scratch = new Uint8Array(0);

/** Packs the weights between `begin` and `end` without leading and trailing zeros. */
function packWeights(
  weights: Float64Array,
  begin: number,
  end: number,
): Pick<Posting, "first" | "weights" | "best"> {
  if (scratch.length < weights.length) scratch = new Uint8Array(weights.length);
  const steps = scratch;
  let first = -1;
  let last = -1;
  let best = 0;
  for (let at = begin; at < end; at++) {
    const step = Math.min(WEIGHT_STEPS, Math.round(((weights[at] as number) / MAX_WEIGHT) * WEIGHT_STEPS));
    steps[at] = step;
    if (step === 0) continue;
    if (first < 0) first = at;
    last = at;
    if (step > best) best = step;
  }
  return first < 0
    ? { first: begin, weights: new Uint8Array(0), best }
    : { first, weights: steps.slice(first, last + 1), best };
}
