import { cosine, standardised, type Weights } from "./cohesion.js";
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

/**
 * What each term weighs in each chunk of a meeting: BM25's saturated count, of counts that spread over neighbouring
 * chunks, less across a change of matter. All of it depends on the meeting alone, so it is computed once, when the
 * meeting is stored; a search only multiplies with what depends on the caller (docs/decisions/0050).
 */
export function weighTerms(chunks: readonly ReadChunk[]): Posting[] {
  const counts = chunks.map(countsOf);
  const spread = spreadFactors(counts);
  const lengths = counts.map((chunk) => [...chunk.values()].reduce((sum, count) => sum + count, 0));
  const around = chunks.map((_, at) => sumOver(spread, at, (from) => lengths[from] ?? 0));
  const usual = around.reduce((sum, length) => sum + length, 0) / Math.max(1, around.length) || 1;

  const chunksOf = new Map<string, number[]>();
  counts.forEach((chunk, at) => {
    for (const term of chunk.keys()) {
      const known = chunksOf.get(term);
      if (known) known.push(at);
      else chunksOf.set(term, [at]);
    }
  });
  return [...chunksOf].sort(byTerm).map(([term, within]) => {
    const saturated = new Float64Array(chunks.length);
    for (const from of within)
      for (const { at, factor } of spread[from] ?? [])
        saturated[at] = (saturated[at] ?? 0) + factor * (counts[from]?.get(term) ?? 0);
    for (let at = 0; at < saturated.length; at++) {
      const count = saturated[at] ?? 0;
      const { k1, b } = RANKING;
      if (count > 0)
        saturated[at] = (count * (k1 + 1)) / (count + k1 * (1 - b + (b * (around[at] ?? usual)) / usual));
    }
    return {
      term,
      chunks: within.length,
      places: placesOf(chunks, within, term),
      ...pack(smooth(saturated)),
    };
  });
}

const byTerm = ([left]: [string, unknown], [right]: [string, unknown]) => (left < right ? -1 : 1);

function countsOf({ spoken, context }: ReadChunk): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [term, places] of spoken) counts.set(term, Math.max(1, places.length));
  for (const term of context) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** For each chunk, the chunks that its counts reach and how much of them arrives. */
function spreadFactors(counts: readonly Weights[]): { at: number; factor: number }[][] {
  const open = openness(counts);
  return counts.map((_, from) => {
    const reached = [{ at: from, factor: 1 }];
    for (const step of [-1, 1]) {
      let passed = 1;
      for (let distance = 1; distance < RANKING.spread.length; distance++) {
        const at = from + step * distance;
        if (at < 0 || at >= counts.length) break;
        passed *= open[step > 0 ? at - 1 : at] ?? 1;
        reached.push({ at, factor: (RANKING.spread[distance] ?? 0) * Math.min(1, passed) });
      }
    }
    return reached;
  });
}

/** How freely counts pass between each chunk and the next: 1 on average, less where they share few words. */
function openness(counts: readonly Weights[]): number[] {
  const within = new Map<string, number>();
  for (const chunk of counts) for (const term of chunk.keys()) within.set(term, (within.get(term) ?? 0) + 1);
  const weighted = counts.map(
    (chunk) =>
      new Map(
        [...chunk].map(([term, count]) => [
          term,
          Math.log(1 + count) * Math.log((counts.length + 1) / (within.get(term) ?? 1)),
        ]),
      ),
  );
  const sum = (from: number, to: number): Weights => {
    const total = new Map<string, number>();
    for (const chunk of weighted.slice(Math.max(0, from), to))
      for (const [term, weight] of chunk) total.set(term, (total.get(term) ?? 0) + weight);
    return total;
  };
  const { window, strength, least, most } = RANKING.boundaries;
  const alike = counts
    .slice(1)
    .map((_, at) => cosine(sum(at + 1 - window, at + 1), sum(at + 1, at + 1 + window)));
  return standardised(alike).map((value) => Math.max(least, Math.min(most, 1 + strength * value)));
}

function sumOver(
  spread: readonly { at: number; factor: number }[][],
  at: number,
  value: (from: number) => number,
): number {
  // Counts pass a boundary equally in both directions.
  return (spread[at] ?? []).reduce((sum, { at: from, factor }) => sum + factor * value(from), 0);
}

/** A chunk's weight is partly that of its neighbours. */
function smooth(weights: Float64Array): number[] {
  const { share, shape } = RANKING.smoothing;
  return Array.from(weights, (own, at) => {
    let sum = 0;
    let total = 0;
    for (let distance = 1 - shape.length; distance < shape.length; distance++) {
      const neighbour = weights[at + distance];
      if (neighbour === undefined) continue;
      const factor = shape[Math.abs(distance)] ?? 0;
      sum += factor * neighbour;
      total += factor;
    }
    return (1 - share) * own + (share * sum) / total;
  });
}

function pack(weights: readonly number[]): Pick<Posting, "first" | "weights" | "best"> {
  const steps = weights.map((weight) =>
    Math.min(WEIGHT_STEPS, Math.round((weight / MAX_WEIGHT) * WEIGHT_STEPS)),
  );
  const first = steps.findIndex((step) => step > 0);
  const last = steps.findLastIndex((step) => step > 0);
  return { first, weights: Uint8Array.from(steps.slice(first, last + 1)), best: Math.max(...steps) };
}

function placesOf(chunks: readonly ReadChunk[], within: readonly number[], term: string): number[] {
  return within.flatMap((chunk) =>
    (chunks[chunk]?.spoken.get(term) ?? [])
      .filter((place) => place < PLACES_PER_CHUNK)
      .map((place) => chunk * PLACES_PER_CHUNK + place),
  );
}
