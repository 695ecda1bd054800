import type { SummaryInstruction, SummaryOrigin } from "@minutes/contract";

/** What of a meeting chooses its instruction. */
export interface ChosenBy {
  /** Names of its owner's tags. */
  readonly tags: readonly string[];
  /** Titles of the meeting and of its calendar event. */
  readonly titles: readonly string[];
}

/**
 * Chooses the instruction for a meeting: by a tag, else by a word of a title, else the default. Those that come first, a
 * user's own, win over later ones.
 * @returns null if there is none
 */
export function chooseInstruction(
  instructions: readonly SummaryInstruction[],
  { tags, titles }: ChosenBy,
): SummaryInstruction | null {
  const names = new Set(tags.map(fold));
  return (
    instructions.find(({ tag }) => tag !== null && names.has(fold(tag))) ??
    instructions.find(({ word }) => word !== null && titles.some((title) => hasWord(title, word))) ??
    instructions.find(({ isDefault }) => isDefault) ??
    null
  );
}

const fold = (text: string): string => text.normalize("NFKC").trim().toLowerCase();

/** Scripts that write no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const LETTER = /[\p{L}\p{M}\p{N}]/u;

/** Returns true if a title has a word or phrase, ignoring case: `1:1` and `Sales`, but not `Sale` in `Sales`. */
function hasWord(title: string, word: string): boolean {
  const text = fold(title);
  const sought = fold(word);
  if (UNSPACED.test(sought)) return text.includes(sought);
  const isApart = (edge: string, neighbor: string) => !(LETTER.test(edge) && LETTER.test(neighbor));
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? "";
    const [after = ""] = text.slice(at + sought.length, at + sought.length + 2);
    if (isApart([...sought][0] ?? "", before) && isApart([...sought].at(-1) ?? "", after)) return true;
  }
  return false;
}

/**
 * Returns what a summary is written with.
 * @param language overrides that of the instruction; null: as spoken
 */
export const toOrigin = (
  instruction: SummaryInstruction | null,
  language = instruction?.language ?? null,
): SummaryOrigin | null =>
  instruction === null && language === null
    ? null
    : { name: instruction?.name ?? null, prompt: instruction?.prompt ?? "", language };
