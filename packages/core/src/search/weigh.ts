import { Comparison, Numbering, standardised } from "./cohesion.js";
import type { Lexemes } from "./lexemes.js";
import { MAX_WEIGHT, PLACES_PER_CHUNK, RANKING, WEIGHT_STEPS } from "./ranking.js";

/** A chunk as the database's text search reads it. */
export interface ReadChunk {
  readonly spoken: Lexemes;
  /** Lexemes that belong to the chunk though nobody says them in it: its speakers' names and the meeting's title. */
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
  readonly places: number[];
}

/**
 * What each term weighs in each chunk of a meeting: BM25's saturated count, of counts that spread over neighbouring
 * chunks, less across a change of matter. All of it depends on the meeting alone, so it is computed once, when the
 * meeting is stored; a search only multiplies with what depends on the caller (docs/decisions/0050).
 */
export function weighTerms(chunks: readonly ReadChunk[]): Posting[] {
  const terms = occurrences(chunks);
  const spread = spreadFactors(openness(terms, chunks.length));
  const dampers = lengthDampers(terms, spread);
  return [...terms]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([term, { chunks: within, counts, places }]) => {
      // Further from its occurrences a term weighs nothing: who says each word once makes as many terms as words.
      const begin = Math.max(0, (within[0] ?? 0) - REACH);
      const end = Math.min(chunks.length, (within.at(-1) ?? 0) + REACH + 1);
      const weights = new Float64Array(end - begin);
      within.forEach((from, nth) => {
        const count = counts[nth] ?? 0;
        for (const [at, factor] of spread[from] ?? [])
          weights[at - begin] = (weights[at - begin] ?? 0) + factor * count;
      });
      for (let at = 0; at < weights.length; at++) {
        const count = weights[at] ?? 0;
        if (count > 0) weights[at] = (count * (RANKING.k1 + 1)) / (count + (dampers[begin + at] ?? 1));
      }
      const { first, ...packed } = pack(smooth(weights));
      return { term, chunks: within.length, places, first: begin + first, ...packed };
    });
}

/** Chunks to either side of an occurrence that hold all its weight, and what smoothing looks at around them. */
const REACH = RANKING.spread.length - 1 + 2 * (RANKING.smoothing.shape.length - 1);

function occurrences(chunks: readonly ReadChunk[]): Map<string, Occurrences> {
  const terms = new Map<string, Occurrences>();
  const add = (term: string, chunk: number, count: number, places: readonly number[]) => {
    let known = terms.get(term);
    if (!known) {
      known = { chunks: [], counts: [], places: [] };
      terms.set(term, known);
    }
    if (known.chunks.at(-1) === chunk) known.counts.push((known.counts.pop() ?? 0) + count);
    else {
      known.chunks.push(chunk);
      known.counts.push(count);
    }
    for (const place of places)
      if (place < PLACES_PER_CHUNK) known.places.push(chunk * PLACES_PER_CHUNK + place);
  };
  chunks.forEach(({ spoken, context }, at) => {
    for (const [term, places] of spoken) add(term, at, Math.max(1, places.length), places);
    for (const term of context) add(term, at, 1, []);
  });
  return terms;
}

/** How freely counts pass between each chunk and the next: 1 on average, less where they share few words. */
function openness(terms: ReadonlyMap<string, Occurrences>, chunks: number): number[] {
  const numbering = new Numbering();
  const words: number[][] = Array.from({ length: chunks }, () => []);
  const rarity: number[] = [];
  for (const [term, { chunks: within, counts }] of terms) {
    const word = numbering.of(term);
    rarity[word] = Math.log((chunks + 1) / within.length);
    within.forEach((at, nth) => {
      for (let count = counts[nth] ?? 0; count > 0; count--) words[at]?.push(word);
    });
  }
  const { window, strength, least, most } = RANKING.boundaries;
  const comparison = new Comparison(Float64Array.from(rarity));
  const around = (from: number, to: number) => Int32Array.from(words.slice(Math.max(0, from), to).flat());
  const alike = words
    .slice(1)
    .map((_, at) => comparison.alike(around(at + 1 - window, at + 1), around(at + 1, at + 1 + window)));
  return standardised(alike).map((value) => Math.max(least, Math.min(most, 1 + strength * value)));
}

/** For each chunk, the chunks that its counts reach and how much of them arrives; the same in both directions. */
function spreadFactors(open: readonly number[]): [at: number, factor: number][][] {
  return Array.from({ length: open.length + 1 }, (_, from) => {
    const reached: [number, number][] = [[from, 1]];
    for (const step of [-1, 1]) {
      let passed = 1;
      for (let distance = 1; distance < RANKING.spread.length; distance++) {
        const at = from + step * distance;
        if (at < 0 || at > open.length) break;
        passed *= open[step > 0 ? at - 1 : at] ?? 1;
        reached.push([at, (RANKING.spread[distance] ?? 0) * Math.min(1, passed)]);
      }
    }
    return reached;
  });
}

/** BM25's k1 · (1 − b + b · length), of each chunk's length with what reaches it, in the meeting's usual lengths. */
function lengthDampers(
  terms: ReadonlyMap<string, Occurrences>,
  spread: readonly [number, number][][],
): number[] {
  const own = new Float64Array(spread.length);
  for (const { chunks, counts } of terms.values())
    chunks.forEach((at, nth) => {
      own[at] = (own[at] ?? 0) + (counts[nth] ?? 0);
    });
  const lengths = spread.map((reached) =>
    reached.reduce((sum, [from, factor]) => sum + factor * (own[from] ?? 0), 0),
  );
  const usual = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1;
  return lengths.map((length) => RANKING.k1 * (1 - RANKING.b + (RANKING.b * length) / usual));
}

/** A chunk's weight is partly that of its neighbours. */
function smooth(weights: Float64Array): Float64Array {
  const { share, shape } = RANKING.smoothing;
  const smoothed = new Float64Array(weights.length);
  for (let at = 0; at < weights.length; at++) {
    let sum = 0;
    let total = 0;
    for (let distance = 1 - shape.length; distance < shape.length; distance++) {
      const neighbour = weights[at + distance];
      if (neighbour === undefined) continue;
      const factor = shape[Math.abs(distance)] ?? 0;
      sum += factor * neighbour;
      total += factor;
    }
    smoothed[at] = (1 - share) * (weights[at] ?? 0) + (share * sum) / total;
  }
  return smoothed;
}

function pack(weights: Float64Array): Pick<Posting, "first" | "weights" | "best"> {
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
