import { foldText } from "../../components/words";

interface Passage {
  /** One line per turn. */
  readonly text: string;
  readonly segments: readonly { readonly position: number }[];
}

/** Maximum number of characters before the first word in an excerpt. */
const LEAD = 60;

/** A word; a whole sentence where words aren't separated. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
/** Letters from which a word can have another ending. */
const STEM = 4;

/** Removes the ending of an English word, so that `cooling` is found by `cooled`. */
const toStem = (word: string) => (word.length > STEM ? word.replace(/(?:ing|ed|es|e|s)$/, "") : word);

/** Returns true if a search for a word finds another one: the same, or one with another ending. */
function isSameWord(wanted: string, word: string): boolean {
  if (UNSPACED.test(wanted)) return word.includes(wanted);
  return toStem(wanted) === toStem(word) || (wanted.length >= STEM && word.startsWith(wanted));
}

/** Returns the words of a text that a search for some words finds, as the text has them. */
export function listFound(text: string, words: readonly string[]): string[] {
  const wanted = words.flatMap((word) => foldText(word).match(WORD) ?? []);
  return [...new Set(text.match(WORD))].filter((word) => {
    const folded = foldText(word);
    return wanted.some((one) => isSameWord(one, folded));
  });
}

/** Returns the index of the line with the most of the words, the first one of several. */
function findLine(lines: readonly string[], words: readonly string[]): number {
  const counts = lines.map((line) => words.filter((word) => listFound(line, [word]).length > 0).length);
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
  const line = lines[best] ?? "";
  const [first] = listFound(line, words);
  const start = first === undefined ? 0 : line.indexOf(first) - LEAD;
  const cut = start > 0 ? rest.slice(rest.indexOf(" ", start) + 1) : rest;
  return cut === text ? text : `… ${cut}`;
}
