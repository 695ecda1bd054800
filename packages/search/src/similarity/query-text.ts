import { stem } from "porter2";
import { QUESTION_WORDS } from "../statement/query-terms.js";

const QUESTION_STEMS = new Set(QUESTION_WORDS.english);
const ASKING = new Set(
  "what how why when who whom which whose did do does was were is are has have had would could should about".split(
    " ",
  ),
);

/**
 * Removes words without topical meaning from an English query: question words, and capitalized names. A query that
 * would become empty stays unchanged, and so does one without question words: in another language capitals can mean
 * something else.
 */
export function withoutQuestionWords(query: string): string {
  const words = query.split(/\s+/).map((text, at) => {
    const word = text.replace(/[^\p{L}\p{N}'-]/gu, "");
    const plain = word.toLowerCase().replace(/'s$/, "");
    const asking = ASKING.has(plain) || QUESTION_STEMS.has(stem(plain));
    return { text, asking, name: /^\p{Lu}/u.test(word) && (at > 0 || /^\p{Lu}('s)?$/u.test(word)) };
  });
  if (!words.some(({ asking }) => asking)) return query;
  const kept = words.filter(({ asking, name, text }) => !asking && !name && text !== "");
  return kept.length > 0
    ? kept
        .map(({ text }) => text)
        .join(" ")
        .replace(/[?.]$/, "")
    : query;
}
