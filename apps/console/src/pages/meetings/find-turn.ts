interface Passage {
  /** One line per turn. */
  readonly text: string;
  readonly segments: readonly { readonly position: number }[];
}

/**
 * Returns the position in the transcript of the passage's turn with the most of the words, the first one of several;
 * undefined for a title, summary or task. A passage whose lines are not its turns is found at its first turn.
 */
export function findTurn({ text, segments }: Passage, words: readonly string[]): number | undefined {
  const lines = text.toLowerCase().split("\n");
  const wanted = words.map((word) => word.toLowerCase());
  let best = 0;
  let most = 0;
  if (lines.length === segments.length)
    lines.forEach((line, at) => {
      const count = wanted.filter((word) => line.includes(word)).length;
      if (count > most) [best, most] = [at, count];
    });
  return segments[best]?.position;
}
