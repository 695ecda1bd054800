/** Words per window: it ends at `least`, never exceeds `most`; a remainder below `rest` is merged into the previous one. */
const WORDS = { least: 50, most: 80, rest: 20 };

/**
 * Splits a chunk's speech into windows of 50 to 80 words, at sentence ends if possible. A model represents a topic
 * better in a few sentences than in a whole chunk.
 */
export function splitIntoWindows(text: string): string[] {
  const windows: string[][] = [];
  let current: string[] = [];
  const close = () => {
    if (current.length > 0) windows.push(current);
    current = [];
  };
  for (const words of splitIntoSentences(text)) {
    if (current.length + words.length > WORDS.most) close();
    current.push(...words);
    if (current.length >= WORDS.least) close();
  }
  const before = windows.at(-1);
  if (before && current.length < WORDS.rest && before.length + current.length <= WORDS.most + WORDS.rest)
    before.push(...current);
  else close();
  return windows.map((words) => words.join(" "));
}

/** Splits text into the words of each sentence; long sentences in parts. */
const splitIntoSentences = (text: string): string[][] =>
  text.split(/\n|(?<=[.!?])\s+/).flatMap((sentence) => {
    const words = sentence.match(/\S{1,100}/gu) ?? [];
    const step = WORDS.least + 10;
    return Array.from({ length: Math.ceil(words.length / step) }, (_, nth) =>
      words.slice(nth * step, (nth + 1) * step),
    );
  });
