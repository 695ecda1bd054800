// @ts-check
/** What stands for a space: every word begins with it. */
const SPACE = "\u2581";
/** Pieces at the start of the vocabulary that no text contains. */
const RESERVED = 6;
/** The piece for a character that the vocabulary doesn't have. */
const UNKNOWN = 0;

/**
 * Creates a function that splits a text into pieces of the vocabulary, and returns their numbers: those whose logarithmic
 * probabilities add up to most (a unigram model, as SentencePiece has). Gives the same as `@energetic-ai/embeddings`.
 * @param {readonly [piece: string, score: number][]} vocabulary
 * @returns {(text: string) => number[]}
 */
export function createTokenizer(vocabulary) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  let longest = 1;
  for (const [number, [piece]] of vocabulary.entries()) {
    if (number < RESERVED) continue;
    numbers.set(piece, number);
    longest = Math.max(longest, [...piece].length);
  }
  return (text) => {
    const symbols = [...(SPACE + text.normalize("NFKC").replaceAll(" ", SPACE))];
    const best = new Float64Array(symbols.length + 1);
    const last = new Int32Array(symbols.length + 1);
    for (let from = 0; from < symbols.length; from++) {
      /** Takes a piece for what ends here, if nothing better does. @param {number} to @param {number} number @param {number} score */
      const offer = (to, number, score) => {
        const total = score + (best[from] ?? 0);
        const now = best[to] ?? 0;
        if (now !== 0 && total < now) return;
        best[to] = total;
        last[to] = number;
      };
      let piece = "";
      let found = false;
      for (let to = from + 1; to <= Math.min(symbols.length, from + longest); to++) {
        piece += symbols[to - 1];
        const number = numbers.get(piece);
        if (number === undefined) continue;
        offer(to, number, vocabulary[number]?.[1] ?? 0);
        found = true;
      }
      if (!found) offer(from + 1, UNKNOWN, 0);
    }
    const pieces = [];
    for (let at = symbols.length; at > 0; ) {
      const number = last[at] ?? UNKNOWN;
      if (number !== UNKNOWN || pieces.at(-1) !== UNKNOWN) pieces.push(number);
      at -= vocabulary[number]?.[0].length ?? 1;
    }
    return pieces.reverse();
  };
}
