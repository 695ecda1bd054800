interface Passage {
  /** One line per turn. */
  readonly text: string;
  readonly segments: readonly { readonly position: number }[];
}

/** Maximum number of characters before the first word in an excerpt. */
const LEAD = 60;

/** Returns the index of the line with the most of the words, the first one of several. */
function findLine(lines: readonly string[], words: readonly string[]): number {
  const counts = lines.map((line) => {
    const text = line.toLowerCase();
    return words.filter((word) => text.includes(word.toLowerCase())).length;
  });
  return counts.indexOf(Math.max(...counts));
}

/**
 * Returns the position in the transcript of the passage's turn with the most of the words, the first one of several;
 * undefined for a title, summary or task. A passage whose lines are not its turns is found at its first turn.
 */
export function findTurn({ text, segments }: Passage, words: readonly string[]): number | undefined {
  const lines = text.split("\n");
  const best = lines.length === segments.length ? findLine(lines, words) : 0;
  return segments[best]?.position;
}

/**
 * Returns a passage's text from the line with the most of the words. In a long line, it begins shortly before the first
 * word, so that the reader sees it.
 */
export function toExcerpt(text: string, words: readonly string[]): string {
  const lines = text.split("\n");
  const best = findLine(lines, words);
  const rest = lines.slice(best).join("\n");
  const line = (lines[best] ?? "").toLowerCase();
  const found = words.map((word) => line.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const start = found.length > 0 ? Math.min(...found) - LEAD : 0;
  const cut = start > 0 ? rest.slice(rest.indexOf(" ", start) + 1) : rest;
  return cut === text ? text : `… ${cut}`;
}
