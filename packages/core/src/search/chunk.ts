/** Something said in one turn. */
export interface SpokenTurn {
  readonly speaker: string;
  readonly text: string;
}

/** About how many words an excerpt has. */
const CHUNK_WORDS = 200;

/**
 * Cuts a transcript into excerpts of about 200 words: whole turns as far as they fit, a longer turn at its
 * sentence ends, and one that has none between words.
 */
export function chunkTranscript(turns: readonly SpokenTurn[]): string[] {
  const chunks: string[] = [];
  let lines: string[] = [];
  let words = 0;
  const close = () => {
    if (lines.length > 0) chunks.push(lines.join("\n"));
    lines = [];
    words = 0;
  };
  for (const { speaker, text } of turns) {
    for (const piece of pieces(text)) {
      const length = countWords(piece);
      if (length === 0) continue;
      if (words > 0 && words + length > CHUNK_WORDS) close();
      lines.push(`${speaker}: ${piece}`);
      words += length;
    }
  }
  close();
  return chunks;
}

/** Longer runs without a space count as several words: the engine refuses to index an excerpt of a megabyte. */
const WORD = /\S{1,100}/gu;

const countWords = (text: string): number => text.match(WORD)?.length ?? 0;

/** A turn's text in parts of at most one excerpt. */
function pieces(text: string): string[] {
  if (countWords(text) <= CHUNK_WORDS) return [text.trim()];
  const parts: string[] = [];
  let part: string[] = [];
  for (const sentence of text.split(/(?<=[.!?])\s+/)) {
    for (const words of groups(sentence.match(WORD) ?? [], CHUNK_WORDS)) {
      if (part.length + words.length > CHUNK_WORDS) {
        parts.push(part.join(" "));
        part = [];
      }
      part.push(...words);
    }
  }
  if (part.length > 0) parts.push(part.join(" "));
  return parts;
}

function groups<Item>(items: readonly Item[], size: number): Item[][] {
  const result: Item[][] = [];
  for (let at = 0; at < items.length; at += size) result.push(items.slice(at, at + size));
  return result;
}
