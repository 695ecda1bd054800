import type { Answer, Ask, Relevance } from "@minutes/contract";
import { type Database, type Deadline, runSteps } from "@minutes/db";
import type { UserCaller } from "../access/index.js";
import { pickTurns } from "./pick-turns.js";
import { type Found, type Retrieved, type RetrieveOptions, retrieve, type TimedTurn } from "./retrieve.js";
import { createWordFinder, cutBetweenWords } from "./words.js";

/** Maximum number of turns in an answer. */
const TURNS = 5;
/** Maximum length of a quoted turn in characters, and of its text before the first word of the question. */
const QUOTE = 600;
const LEAD = 200;

/**
 * Answers a question with what was said in the meetings that the caller can read: the turns that have the question's words,
 * grouped by meeting. No text is generated. Summaries, and so locked ones, are never quoted.
 * @throws ApiError 403 or 404 for a meeting that the caller can't read
 */
export const ask = async (
  db: Database,
  caller: UserCaller,
  input: Ask,
  options: RetrieveOptions,
): Promise<Answer> => toAnswer(await retrieve(db, caller, input, options), options.deadline);

/** Returns the best turns, word by word. @throws BusyError after the deadline */
export async function toAnswer(
  { question, meetings, turns, searched }: Retrieved,
  deadline?: Deadline,
): Promise<Answer> {
  const picks = (await runSteps(pickTurns(question, turns), deadline)).slice(0, TURNS);
  return { found: picks.length > 0, meetings: groupTurns(picks, meetings, searched.words), searched };
}

/** Groups turns by meeting, in the order of each meeting's first one. */
export function groupTurns(
  picks: readonly (TimedTurn & { readonly relevance: Relevance })[],
  meetings: readonly Found[],
  words: readonly string[],
): Answer["meetings"] {
  const shorten = createShortener(words);
  return [...new Set(picks.map(({ meetingId }) => meetingId))].flatMap((meetingId) => {
    const head = meetings.find((meeting) => meeting.meetingId === meetingId);
    if (!head) return [];
    const { meetingTitle, meetingDate } = head;
    const turns = picks
      .filter((pick) => pick.meetingId === meetingId)
      .toSorted((a, b) => a.position - b.position)
      .map(({ position, speakerName, startSeconds, text, relevance }) => ({
        ...{ position, speakerName, startSeconds, text: shorten(text) },
        ...{ link: toLink({ meetingId, position }), relevance },
      }));
    return [{ meetingId, meetingTitle, meetingDate, turns }];
  });
}

/** Returns the path of a turn in the console. */
export const toLink = ({ meetingId, position }: Pick<TimedTurn, "meetingId" | "position">): string =>
  `/meetings/${meetingId}?at=${position}`;

/**
 * Creates the function that returns a turn, or the part of a long one around its first word of the question, between
 * words. It reads a turn once, whatever the number of words.
 */
export function createShortener(words: readonly string[]): (text: string) => string {
  const find = createWordFinder(words);
  return (text) => {
    if (text.length <= QUOTE) return text;
    return cutBetweenWords(text, Math.max(0, (find(text) ?? text.length) - LEAD), QUOTE);
  };
}
