import { z } from "zod";
import { toPlainText } from "./plain-text.js";

/** Minimum number of words of a quote. */
const QUOTE_WORDS = 5;
/** Maximum length of a sentence in characters. */
const SENTENCE = 500;

const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** A sentence as the model writes it. */
const Claim = z.object({
  sentence: z.string(),
  quote: z.string(),
  turn: z.number().optional().catch(undefined),
});

/** A sentence whose quote is in a turn. */
interface Verified<Source> {
  readonly text: string;
  readonly quote: string;
  readonly source: Source;
}

/**
 * Verifies a sentence: it has a quote of at least five words that is word by word in one of the sources. The quote is in
 * the source that the model names, or else in the first one that has it.
 * @param json one JSON object of the model's answer
 * @param sources numbered from 1
 * @returns null if the sentence must not be shown
 */
export function verify<Source extends { readonly text: string }>(
  json: string,
  sources: readonly Source[],
): Verified<Source> | null {
  const claim = parseClaim(json);
  if (!claim) return null;
  // Models mark words bold, although the request forbids it.
  const text = toPlainText(claim.sentence.replaceAll("**", ""), SENTENCE);
  const quote = claim.quote.trim();
  if (text === null || countWords(quote) < QUOTE_WORDS) return null;
  const named = claim.turn === undefined ? undefined : sources[claim.turn - 1];
  const source = [...(named ? [named] : []), ...sources].find((one) => hasWords(one.text, quote));
  return source ? { text, quote, source } : null;
}

function parseClaim(json: string): z.infer<typeof Claim> | null {
  try {
    return Claim.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

const countWords = (text: string): number =>
  [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;

/** A letter or number of a script with spaces between words. */
const IN_WORD =
  /^(?!\p{scx=Han}|\p{scx=Hiragana}|\p{scx=Katakana}|\p{scx=Thai}|\p{scx=Lao}|\p{scx=Khmer}|\p{scx=Myanmar})[\p{L}\p{M}\p{N}]$/u;

/** Returns true if a text has the quote, and not only as a part of other words: "possible" is not in "impossible". */
function hasWords(text: string, quote: string): boolean {
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    const [before, first] = [text.slice(0, at).at(-1), quote.at(0)];
    const [last, after] = [quote.at(-1), text.at(at + quote.length)];
    if (!isInWord(before, first) && !isInWord(last, after)) return true;
  }
  return false;
}

/** Returns true if a word goes on from one character to the next one. */
const isInWord = (one: string | undefined, next: string | undefined): boolean =>
  IN_WORD.test(one ?? "") && IN_WORD.test(next ?? "");
