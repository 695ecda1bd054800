/** A term's occurrences: the numbers of the chunks that contain it, and how often each does. */
export interface TermOccurrences {
  readonly term: string;
  readonly chunks: Int32Array;
  readonly counts: Float32Array;
}

/** What was learnt: vectors of unit length for the chunks, and for each term one as long as the term is telling. */
export interface Learnt {
  readonly chunks: Float32Array[];
  readonly terms: Map<string, Float32Array>;
}

const LEARNING = { dimensions: 256, rounds: 2, seeds: 8, rarity: 1.5 } as const;

/** Milliseconds of work between two turns of the event loop. */
const SLICE = 8;

/**
 * Reflective random indexing: chunks begin as random points; a term is the sum of the chunks that contain it, a chunk
 * the sum of its terms, and so in turn. Terms that occur in similar surroundings end up near each other. Knows
 * nothing but the given text, and gives the same result for the same input (docs/decisions/0052).
 */
export async function learn(
  terms: readonly TermOccurrences[],
  chunks: number,
  yieldToEventLoop: () => Promise<void>,
): Promise<Learnt> {
  const { dimensions, rounds } = LEARNING;
  const weights = terms.map((term) => Math.log(chunks / term.chunks.length) ** LEARNING.rarity);
  let points = randomPoints(chunks);
  const vectors = new Float32Array(terms.length * dimensions);
  for (let round = 0; round < rounds; round++) {
    vectors.fill(0);
    for (const [at, term] of terms.entries()) {
      term.chunks.forEach((chunk, nth) => {
        const weight = Math.log(1 + (term.counts[nth] ?? 0));
        add(vectors, at, points, chunk, weight);
      });
      await yieldToEventLoop();
    }
    toUnitLength(vectors);
    points = new Float32Array(chunks * dimensions);
    for (const [at, term] of terms.entries()) {
      term.chunks.forEach((chunk, nth) => {
        add(points, chunk, vectors, at, Math.log(1 + (term.counts[nth] ?? 0)) * (weights[at] ?? 0));
      });
      await yieldToEventLoop();
    }
    centre(points, chunks);
    toUnitLength(points);
    await yieldToEventLoop();
  }
  const row = (all: Float32Array, at: number) => all.slice(at * dimensions, (at + 1) * dimensions);
  return {
    chunks: Array.from({ length: chunks }, (_, at) => row(points, at)),
    terms: new Map(
      terms.map(({ term }, at) => [term, row(vectors, at).map((value) => value * (weights[at] ?? 0))]),
    ),
  };
}

/** Adds row `from` of one matrix, times a weight, to row `to` of another. */
function add(target: Float32Array, to: number, source: Float32Array, from: number, weight: number): void {
  const { dimensions } = LEARNING;
  const a = to * dimensions;
  const b = from * dimensions;
  for (let at = 0; at < dimensions; at++)
    target[a + at] = (target[a + at] as number) + weight * (source[b + at] as number);
}

function toUnitLength(matrix: Float32Array): void {
  const { dimensions } = LEARNING;
  for (let row = 0; row < matrix.length; row += dimensions) {
    let squares = 0;
    for (let at = row; at < row + dimensions; at++) squares += (matrix[at] as number) ** 2;
    const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let at = row; at < row + dimensions; at++) matrix[at] = (matrix[at] as number) * factor;
  }
}

/** What all chunks have in common tells none apart. */
function centre(matrix: Float32Array, rows: number): void {
  const { dimensions } = LEARNING;
  const mean = new Float64Array(dimensions);
  for (let at = 0; at < matrix.length; at++)
    mean[at % dimensions] = (mean[at % dimensions] as number) + (matrix[at] as number) / rows;
  for (let at = 0; at < matrix.length; at++)
    matrix[at] = (matrix[at] as number) - (mean[at % dimensions] as number);
}

/** A few coordinates of each point are 1 or -1, the others 0. */
function randomPoints(count: number): Float32Array {
  const { dimensions, seeds } = LEARNING;
  const points = new Float32Array(count * dimensions);
  let state = 42;
  for (let point = 0; point < count; point++)
    for (let seed = 0; seed < seeds; seed++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const at = point * dimensions + ((state >>> 8) % dimensions);
      points[at] = (points[at] as number) + (seed % 2 === 0 ? 1 : -1);
    }
  return points;
}

/** Lets the event loop turn when a slice of time is used up. @throws the signal's reason once it is aborted. */
export function eventLoopYielder(signal: AbortSignal): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE) return;
    await new Promise(setImmediate);
    signal.throwIfAborted();
    began = performance.now();
  };
}
