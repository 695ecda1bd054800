/** A bag of words, or of lexemes, with weights. */
export type Weights = ReadonlyMap<string, number>;

/** How alike two bags are, from 0 to 1. */
export function cosine(left: Weights, right: Weights): number {
  let product = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (const [word, weight] of left) {
    leftSquares += weight * weight;
    product += weight * (right.get(word) ?? 0);
  }
  for (const weight of right.values()) rightSquares += weight * weight;
  return leftSquares > 0 && rightSquares > 0 ? product / Math.sqrt(leftSquares * rightSquares) : 0;
}

/** The values in standard deviations from their mean. */
export function standardised(values: readonly number[]): number[] {
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
 * How much the talk before each boundary shares its words with the talk after it, in standard deviations of the
 * meeting; entry `n` belongs to the boundary before piece `n`, entry 0 to none. Low where the matter changes.
 * Needs no language: words that are everywhere in the meeting count little.
 */
export function boundaryCohesion(pieces: readonly (readonly string[])[]): number[] {
  const words: string[] = [];
  const boundaries: number[] = [];
  for (const piece of pieces) {
    boundaries.push(words.length);
    for (const word of piece) words.push(...(word.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []));
  }
  const stretches = new Map<string, number>();
  for (let at = 0; at < words.length; at += STRETCH)
    for (const word of new Set(words.slice(at, at + STRETCH)))
      stretches.set(word, (stretches.get(word) ?? 0) + 1);
  const total = Math.max(1, Math.ceil(words.length / STRETCH));
  const bag = (from: number, to: number): Weights => {
    const counts = new Map<string, number>();
    for (const word of words.slice(Math.max(0, from), to)) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts)
      counts.set(word, Math.log(1 + count) * Math.log(total / (stretches.get(word) ?? 1)));
    return counts;
  };
  const alike = boundaries.slice(1).map((at) => cosine(bag(at - WINDOW, at), bag(at, at + WINDOW)));
  return [0, ...standardised(alike)];
}
