import type { Relevance } from "@minutes/contract";
import type { Steps } from "@minutes/db";
import { expandQuery } from "@minutes/search";
import {
  asksAboutNow,
  fold,
  HANDLING,
  isQualifier,
  listContentWords,
  listDenied,
  splitIntoWords,
  toTerm,
} from "./words.js";

/** A turn that can answer a question. */
export interface Turn {
  readonly meetingId: string;
  readonly meetingTitle: string;
  /** When the meeting began, in ISO 8601. */
  readonly meetingStart: string;
  readonly position: number;
  readonly speakerName: string;
  readonly text: string;
  /** How well search found the passage, from 0 to 1. */
  readonly found: number;
}

/** A turn with its score, its share of the question's words, and whether it has any of them itself. */
type Picked<T extends Turn> = T & {
  readonly score: number;
  readonly share: number;
  readonly isWorded: boolean;
};

/** Weights of a word by the distance of the turn that has it: a question is answered in the next turns. */
const REACH = [
  { distance: 0, weight: 1 },
  { distance: -1, weight: 0.8 },
  { distance: -2, weight: 0.5 },
  { distance: 1, weight: 0.5 },
];
/**
 * Weight of a word that only the meeting's title has, in a turn that has another word of the question: in the call with
 * Gdynia, nobody says "Gdynia" when they promise something.
 */
const TITLE = 0.8;
/** Weight of a synonym. */
const SYNONYM = 0.6;
/** Weight of a word that only qualifies another one: "the new price" is answered by a turn without "new". */
const QUALIFIER = 0.2;
/** Weight of a word for now, such as "current", which decides the order of meetings instead. */
const NOW = 0.01;

/** Share of the question that an answer must have. */
const BAR = 0.6;
/** Bonus of a turn that search found, and of one that has the kind of answer that the question asks for. */
const FOUND = 0.15;
const KIND = 0.1;
/** Share of the best turn's score that others must have to be shown with it. */
const KEEP = 0.75;
/** Number of turns of which one must pass the bar. */
const TOP = 3;
/** Maximum distance at which a turn without words of its own is context of a better one. */
const NEAR = 2;
/** Shares of the best score, and of the question, of a turn that is a match. */
const MATCH = { score: 0.95, share: 0.7 };

/** Kinds of answers that a question asks for, with the pattern of a turn that has one. */
const KINDS: readonly (readonly [asks: RegExp, has: RegExp])[] = [
  [
    /\bhow (?:much|many|long|often|large|big|far|tall|high|old)\b|\bcosts?\b|\bprices?\b|\bsalary\b/i,
    /\d|€|\$|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|half|twice|once)\b/i,
  ],
  [
    /\bwhen\b|\bhow long\b|\bwhat (?:day|time)\b|\bdates?\b/i,
    /\d|\b(?:week|month|day|year|hour|minute|today|tomorrow|yesterday|noon|morning|evening|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b/i,
  ],
  [/\bwhy\b/i, /\b(?:because|since|so that|reason|otherwise)\b/i],
];

/** Returns true if one turn is so many turns after another one. */
const isAt = (one: Turn | undefined, other: Turn, distance: number): boolean =>
  one?.meetingId === other.meetingId && one.position === other.position + distance;

/**
 * Picks the turns that answer a question. If it asks about now, those of the latest meeting that answers it come first, and
 * earlier ones are only related. Turns without a word of the question follow a better one only if that one asks.
 * @param turns of transcripts, in order
 * @returns the best first, those that answer less as related; empty if none has enough of the question
 */
export function* pickTurns<T extends Turn>(
  question: string,
  turns: readonly T[],
): Steps<(Picked<T> & { readonly relevance: Relevance })[]> {
  const best = yield* rankTurns(question, turns);
  const [top] = best;
  if (!top || Math.max(...best.slice(0, TOP).map(({ share }) => share)) < BAR) return [];
  const kept = best.filter(({ score }) => score >= KEEP * top.score);
  const latest = new Set(asksAboutNow(question) ? findLatest(kept) : []);
  const [first = top] = latest;
  const ordered = [...latest, ...kept.filter((turn) => !latest.has(turn))];
  const answered = new Set<string>();
  const shown = ordered.filter(({ meetingId, position, isWorded, text }) => {
    const isBeside = AROUND.some((distance) => answered.has(`${meetingId} ${position + distance}`));
    if (!text.includes("?")) answered.add(`${meetingId} ${position}`);
    return isWorded || !isBeside;
  });
  return shown.map((turn) => {
    const isMatch = turn.score >= MATCH.score * first.score && turn.share >= MATCH.share;
    const isPast = latest.size > 0 && !latest.has(turn);
    return { ...turn, relevance: isMatch && !isPast ? "match" : "related" };
  });
}

/** Returns the turns of the latest meeting that has enough of the question, the best first. */
function findLatest<T extends Turn>(kept: readonly Picked<T>[]): readonly Picked<T>[] {
  const answers = kept.filter(({ share }) => share >= MATCH.share);
  const [last] = answers.toSorted((a, b) => b.meetingStart.localeCompare(a.meetingStart));
  return answers.filter(({ meetingId }) => meetingId === last?.meetingId);
}

/** Distances of turns that are near each other. */
const AROUND = Array.from({ length: 2 * NEAR + 1 }, (_, place) => place - NEAR);

/**
 * Ranks turns by the share of a question's words that they, the turns around them and the title have, the rare words first. A
 * name also counts if its bearer speaks. A word that the question denies counts twice in a turn that denies it, too: "no alarm"
 * isn't asked about by "alarms a night". Each turn is a step, and costs what it says: words of the question that nobody says
 * cost nothing.
 * @param turns of transcripts, in order
 * @returns the best first
 */
export function* rankTurns<T extends Turn>(question: string, turns: readonly T[]): Steps<Picked<T>[]> {
  const words = listContentWords(question).map(({ term }) => term);
  const values = listValues(words, question);
  /** The words that the question denies: that something denied has the index of the word after all words. */
  const denied = findDenied(words, question);
  const readWords = createWordReader(values, denied, words.length);
  const titles = new Map<string, ReadonlyMap<number, number>>();
  /** For each turn, how well it has each word; words that it does not have are missing. */
  const said: ReadonlyMap<number, number>[] = [];
  const frequency = new Array<number>(2 * words.length).fill(0);
  for (const { meetingId, meetingTitle, text, speakerName } of turns) {
    const spoken = splitIntoWords(`${speakerName} ${text}`);
    const has = readWords(spoken, denied.size > 0 ? listDenied(spoken) : []);
    for (const word of has.keys()) frequency[word] = (frequency[word] ?? 0) + 1;
    said.push(has);
    if (!titles.has(meetingId)) titles.set(meetingId, readWords(splitIntoWords(meetingTitle), []));
    yield;
  }
  // That nobody denies a word says nothing about a turn.
  const rarity = frequency.map((count, word) =>
    word < words.length
      ? Math.log(1 + turns.length / (count + 1)) * weigh(words[word] ?? "")
      : count > 0
        ? Math.log(1 + turns.length / ((frequency[word - words.length] ?? 0) + 1))
        : 0,
  );
  const total = rarity.reduce((sum, value) => sum + value, 0);
  const kinds = KINDS.filter(([asks]) => asks.test(question));
  const picks: Picked<T>[] = [];
  for (const [at, turn] of turns.entries()) {
    const best = new Map<number, number>();
    for (const { distance, weight } of REACH) {
      if (!isAt(turns[at + distance], turn, distance)) continue;
      for (const [word, value] of said[at + distance] ?? [])
        best.set(word, Math.max(value * weight, best.get(word) ?? 0));
    }
    if (best.size > 0)
      for (const [word, value] of titles.get(turn.meetingId) ?? [])
        best.set(word, Math.max(value * TITLE, best.get(word) ?? 0));
    // Summed in the order of the question, so that turns with the same words have the same score.
    const covered = [...best.keys()]
      .sort((a, b) => a - b)
      .reduce((sum, word) => sum + (best.get(word) ?? 0) * (rarity[word] ?? 0), 0);
    const share = covered / total;
    const kind = kinds.filter(([, has]) => has.test(turn.text)).length / Math.max(1, kinds.length);
    picks.push({
      ...{ ...turn, share, score: share + FOUND * turn.found + KIND * kind },
      isWorded: (said[at]?.size ?? 0) > 0,
    });
    yield;
  }
  return picks.sort((a, b) => b.score - a.score);
}

const weigh = (term: string): number => (asksAboutNow(term) ? NOW : isQualifier(term) ? QUALIFIER : 1);

const NOTHING: ReadonlyMap<number, number> = new Map();

/** Creates the function that returns how well a text has each word, and which of the denied ones it denies. */
function createWordReader(
  values: ReadonlyMap<string, ReadonlyMap<number, number>>,
  denied: ReadonlySet<number>,
  words: number,
): (spoken: readonly string[], denies: readonly boolean[]) => ReadonlyMap<number, number> {
  /** What each word that was said stands for; a transcript repeats most of its words. */
  const known = new Map<string, ReadonlyMap<number, number>>();
  return (spoken, denies) => {
    const has = new Map<number, number>();
    const add = (word: number, value: number) => has.set(word, Math.max(value, has.get(word) ?? 0));
    for (const [at, one] of spoken.entries()) {
      const counts = known.get(one) ?? values.get(toTerm(one)) ?? NOTHING;
      known.set(one, counts);
      for (const [word, value] of counts) {
        add(word, value);
        if (denies[at] && denied.has(word)) add(word + words, value);
      }
    }
    return has;
  };
}

/** Finds the words that a question denies, by their index. */
function findDenied(words: readonly string[], question: string): ReadonlySet<number> {
  const asked = splitIntoWords(question);
  const denies = listDenied(asked, { isQuestion: true });
  const terms = asked.filter((_, at) => denies[at]).map(toTerm);
  return new Set(terms.map((term) => words.indexOf(term)).filter((word) => word >= 0));
}

/** Lists by each term that counts the words of the question that it stands for, by their index, and its weight. */
function listValues(
  words: readonly string[],
  question: string,
): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const values = new Map<string, Map<number, number>>();
  const add = (term: string, word: number, value: number) => {
    const known = values.get(term) ?? new Map<number, number>();
    values.set(term, known.set(word, Math.max(value, known.get(word) ?? 0)));
  };
  const index = new Map(words.map((term, word) => [term, word]));
  for (const [term, word] of index) add(term, word, 1);
  for (const { term, expansion } of expandQuery(fold(question))) {
    const word = index.get(term);
    if (word !== undefined) add(expansion, word, SYNONYM);
  }
  for (const term of HANDLING) {
    const word = index.get(term);
    if (word !== undefined) for (const other of HANDLING) add(other, word, SYNONYM);
  }
  return values;
}
