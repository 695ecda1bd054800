import { stemWord } from "@minutes/search";

/** Words that say that something is asked, or nothing. They are never searched for. */
const STOP_WORDS = new Set(
  (
    "a about according after again all also am an and any are as at be because been before being by can could did do does doing " +
    "done for from get give given go going got had has have having here how i if in into is it its just know let like " +
    "long lot made make many may me might mine more most much must my no nor not now of off on once one only or other our ours out " +
    "over own per please said same say says see shall should show so some something somebody someone still such take tell than that the their theirs them " +
    "then there these they thing things think this those to too told under until up us use very want wants was we well were what whats when where " +
    "whether which while who whom whose why will with would yes yet you your yours happen happened happens mention mentioned talk talked discuss " +
    "literally verbatim briefly discussed meeting meetings anyone anybody anything everybody ever much often big large far"
  ).split(" "),
);

/** Personal pronouns. */
const PRONOUN = /^s?h(?:e|er|ers|im|is)$/;

const isEmptyWord = (word: string): boolean => STOP_WORDS.has(word) || PRONOUN.test(word);

/** A word of a text. */
interface Word {
  /** As compared: without accents, case and ending. */
  readonly term: string;
  /** As written. */
  readonly text: string;
}

/** Removes accents and case. */
export const fold = (text: string): string =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ł", "l").replaceAll("ø", "o");

/** Creates the function that finds where the first of some words begins in a text, without accents and case; null if none does. */
export function createWordFinder(words: readonly string[]): (text: string) => number | null {
  const folded = words.map(fold).filter((word) => word !== "");
  if (folded.length === 0) return () => null;
  const any = new RegExp(folded.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "u");
  return (text) => any.exec(fold(text))?.index ?? null;
}

/** Cuts a part of so many characters out of a text, between words, from the first word after a place. */
export function cutBetweenWords(text: string, start: number, length: number): string {
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const part = text.slice(from, from + length);
  return from + length >= text.length ? part : part.slice(0, part.lastIndexOf(" ") + 1 || length).trim();
}

const TAKE = "(?:tak(?:e|es|en|ing)|took)";
/** Phrases that say who does something. Their words mean something else on their own, so each phrase counts as one word. */
const PHRASES: readonly (readonly [phrase: string, pattern: RegExp])[] = [
  ["take care of", new RegExp(`\\b${TAKE} (?:good )?care of\\b`, "gi")],
  ["take over", new RegExp(`\\b${TAKE} over\\b`, "gi")],
  ["look after", /\blook(?:s|ed|ing)? after\b/gi],
  ["deal with", /\bdeal(?:s|t|ing)? with\b/gi],
  ["in charge of", /\bin charge of\b/gi],
  ["responsible for", /\bresponsible for\b/gi],
];
/** Joins the words of a phrase. */
const JOINER = "\u2040";
const toToken = (phrase: string): string => phrase.replaceAll(" ", JOINER);

const joinPhrases = (text: string): string =>
  PHRASES.reduce((joined, [phrase, pattern]) => joined.replace(pattern, toToken(phrase)), text);

/** Splits a text into its words, phrases that say who does something, and numbers. */
export const splitIntoWords = (text: string): readonly string[] =>
  joinPhrases(text)
    .replace(/[’']s\b/g, "")
    .match(/[\p{L}\p{M}\u2040]+|\p{N}+(?:[.,]\p{N}+)*/gu) ?? [];

/** Words that deny what follows: `no alarm`, `without alarms`. The last word of `didn't` is `t`. */
const NEGATIONS = new Set("no not never without neither nor cannot t".split(" "));
/** Maximum number of words from a negation to what it denies: `not one of them`. */
const DENIED = 3;

/**
 * Lists for each word of a text whether the text denies it: whether it is the first word with a meaning after a negation. In a
 * question, `didn't the alarm ring` denies two.
 */
export function listDenied(words: readonly string[], { isQuestion = false } = {}): boolean[] {
  let [near, most] = [0, 0];
  return words.map((word) => {
    const plain = fold(word);
    if (NEGATIONS.has(plain)) {
      most = isQuestion && plain === "t" ? 2 : 1;
      near = DENIED + most - 1;
      return false;
    }
    const isDenied = near-- > 0 && most > 0 && !isEmptyWord(plain);
    if (isDenied) most--;
    return isDenied;
  });
}

/** Returns a word as it is compared. */
export const toTerm = (word: string): string => stemWord(fold(word));

/** Terms that say who does something: each is a synonym of the others. */
export const HANDLING: readonly string[] = [
  ...PHRASES.map(([phrase]) => toToken(phrase)),
  ...["handle", "manage", "own"].map(toTerm),
];

/**
 * Words that only qualify another one: "the new price" is answered by "the price", while "the solar panels" needs what is
 * said about solar ones. "The date of the launch" is answered by "the launch is on Monday".
 */
const QUALIFIERS = new Set(
  (
    "new newest old older current currently present actual actually exact exactly precise final finally latest last next recent recently former " +
    "previous original initial main major whole entire full total overall general specific certain particular real really true right " +
    "correct proper usual usually normal normally typical typically regular average good better best bad worst great big biggest small smallest short " +
    "date important possible planned expected agreed proposed upcoming future rough roughly approximate approximately different additional extra"
  )
    .split(" ")
    .map(toTerm),
);

/** Returns true for a term that only qualifies another one. */
export const isQualifier = (term: string): boolean => QUALIFIERS.has(term);

/** Words of a question about how things are now, which a later statement answers better than an earlier one. */
const NOW =
  /\b(?:now|nowadays|current(?:ly)?|still|latest|newest|most recent|at present|presently|these days|at the moment|any ?more)\b/i;

/** Returns true for a question about how things are now: "who owns the migration now?". */
export const asksAboutNow = (question: string): boolean => NOW.test(question);

/** Phrases that say how to answer, not what was said. */
const FORM =
  /^(?:please )?quote (?=what|how|who|when|where|why|the)|\bword for word\b|\b(?:give|show|tell) me (?:the|his|her|their) (?:exact )?(?:quotes?|words?|wording)\b/gi;

/** Returns the words of a question that an answer can have; all of them if it has no others. */
export function listContentWords(question: string): Word[] {
  const asked = question.replace(FORM, " ").replace(/\b(\w+)n[’']t\b/g, "$1");
  const words = splitIntoWords(asked).map((text) => ({
    term: toTerm(text),
    text: text.replaceAll(JOINER, " "),
  }));
  const unique = [...new Map(words.map((word) => [word.term, word])).values()];
  const content = unique.filter(
    ({ text }) => !isEmptyWord(fold(text)) && (text.length > 1 || /\d/.test(text)),
  );
  return content.length > 0 ? content : unique;
}
