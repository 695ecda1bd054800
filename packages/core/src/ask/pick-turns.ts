import { expandQuery } from "@minutes/search";
import { fold, listContentWords, listWords } from "./words.js";

/** A turn that can answer a question. */
export interface Turn {
  readonly meetingId: string;
  readonly position: number;
  readonly speakerName: string;
  readonly text: string;
  /** How well search found the passage, from 0 to 1. */
  readonly found: number;
}

/** A turn with its score, and its share of the question's words. */
type Picked<T extends Turn> = T & { readonly score: number; readonly share: number };

/** Weights of a word by the distance of the turn that has it: a question is answered in the next turns. */
const REACH = [
  { distance: 0, weight: 1 },
  { distance: -1, weight: 0.8 },
  { distance: -2, weight: 0.5 },
  { distance: 1, weight: 0.5 },
];
/** Weight of a synonym. */
const SYNONYM = 0.6;

/** Share of the question that an answer must have. */
const BAR = 0.6;
/** Bonus of a turn that search found, and of one that has the kind of answer that the question asks for. */
const FOUND = 0.15;
const KIND = 0.1;
/** Share of the best turn's score that others must have to be shown with it. */
const KEEP = 0.75;
/** Number of turns of which one must pass the bar. */
const TOP = 3;

/** Kinds of answers that a question asks for, with the pattern of a turn that has one. */
const KINDS: readonly (readonly [asks: RegExp, has: RegExp])[] = [
  [
    /\bhow (?:much|many|long|often|large|big|far|tall|high|old)\b|\bcosts?\b|\bprices?\b|\bsalary\b/i,
    /\d|€|\$|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|half|twice|once)\b/i,
  ],
  [
    /\bwhen\b|\bhow long\b|\bwhat (?:day|date|time)\b/i,
    /\d|\b(?:week|month|day|year|hour|minute|today|tomorrow|yesterday|noon|morning|evening|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b/i,
  ],
  [/\bwhy\b/i, /\b(?:because|since|so that|reason|otherwise)\b/i],
];

/** Returns true if one turn is so many turns after another one. */
const isAt = (one: Turn | undefined, other: Turn, distance: number): boolean =>
  one?.meetingId === other.meetingId && one.position === other.position + distance;

/**
 * Picks the turns that answer a question.
 * @param turns of transcripts, in order
 * @returns the best first; empty if none has enough of the question
 */
export function pickTurns<T extends Turn>(question: string, turns: readonly T[]): Picked<T>[] {
  const best = rankTurns(question, turns);
  const [top] = best;
  if (!top || Math.max(...best.slice(0, TOP).map(({ share }) => share)) < BAR) return [];
  return best.filter(({ score }) => score >= KEEP * top.score);
}

/**
 * Ranks turns by the share of a question's words that they and the turns around them have, the rare words first. A name
 * also counts if its bearer speaks.
 * @param turns of transcripts, in order
 * @returns the best first
 */
export function rankTurns<T extends Turn>(question: string, turns: readonly T[]): Picked<T>[] {
  const words = listContentWords(question).map(({ term }) => term);
  const synonyms = new Map<string, Set<string>>();
  for (const { term, expansion } of expandQuery(fold(question)))
    synonyms.set(term, (synonyms.get(term) ?? new Set()).add(expansion));
  const known = new Map<string, string>();
  const said = turns.map(
    ({ text, speakerName }) => new Set(listWords(`${speakerName} ${text}`, known).map(({ term }) => term)),
  );
  const measure = (terms: ReadonlySet<string>, term: string): number => {
    if (terms.has(term)) return 1;
    for (const synonym of synonyms.get(term) ?? []) if (terms.has(synonym)) return SYNONYM;
    return 0;
  };
  const matrix = words.map((term) => said.map((terms) => measure(terms, term)));
  const rarity = matrix.map((row) => {
    const frequency = row.filter((value) => value > 0).length;
    return Math.log(1 + turns.length / (frequency + 1));
  });
  const total = rarity.reduce((sum, value) => sum + value, 0);
  const kinds = KINDS.filter(([asks]) => asks.test(question));
  const picks = turns.map((turn, at) => {
    const covered = matrix.reduce((sum, row, word) => {
      const best = Math.max(
        ...REACH.map(({ distance, weight }) =>
          isAt(turns[at + distance], turn, distance) ? (row[at + distance] ?? 0) * weight : 0,
        ),
      );
      return sum + best * (rarity[word] ?? 0);
    }, 0);
    const share = covered / total;
    const kind = kinds.filter(([, has]) => has.test(turn.text)).length / Math.max(1, kinds.length);
    return { ...turn, share, score: share + FOUND * turn.found + KIND * kind };
  });
  return picks.toSorted((a, b) => b.score - a.score);
}
