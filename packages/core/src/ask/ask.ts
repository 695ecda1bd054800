import type { Answer, Ask, Instant } from "@minutes/contract";
import type { Database } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import { type PersonalCaller, visibleTo } from "../access/index.js";
import { getMeeting, getTranscript, searchMeetingsInDetail } from "../meetings/index.js";
import { findDays } from "./find-days.js";
import { type Picked, pickTurns, type Turn } from "./pick-turns.js";
import { fold, listContentWords } from "./words.js";

/** Number of passages that each query finds, and of meetings whose transcripts are read. */
const PASSAGES = 20;
const MEETINGS = 6;
/** Number of turns of a transcript that are compared as a whole, and around each found turn of a longer one. */
const WHOLE = 1_500;
const AROUND = 20;
/** Maximum number of turns in an answer. */
const TURNS = 5;
/** Maximum number of people whose meetings are searched in addition. */
const PEOPLE = 2;
/** Maximum length of a quoted turn in characters, and of its text before the first word of the question. */
const QUOTE = 600;
const LEAD = 200;

const START: Instant = "0001-01-01T00:00:00.000Z";

type Reader = Pick<PersonalCaller, "userId">;

interface Found {
  readonly meetingId: string;
  readonly meetingTitle: string | null;
  readonly meetingDate: string;
  /** How well each turn was found, by its position. */
  readonly turns: Map<number, number>;
}

/**
 * Answers a question with what was said in the meetings that the caller can read: the turns that have the question's words,
 * grouped by meeting. No text is generated. Summaries, and so locked ones, are never quoted.
 * @throws ApiError 403 or 404 for a meeting that the caller can't read
 */
export async function ask(
  db: Database,
  caller: Reader,
  { question, meetingId, startDate, endDate }: Ask,
  similarity: SimilaritySearch | undefined,
  now = new Date(),
): Promise<Answer> {
  const isNarrowed = startDate !== undefined || endDate !== undefined || meetingId !== undefined;
  const named = isNarrowed ? { from: null, to: null, rest: question } : findDays(question, now);
  const words = listContentWords(named.rest);
  const from = startDate ?? toInstant(named.from, "00:00:00.000");
  const to = endDate ?? toInstant(named.to, "23:59:59.999");
  const people = meetingId ? [] : listNames(named.rest);
  const search = (query: string, person?: string) =>
    searchMeetingsInDetail(
      db,
      visibleTo(caller),
      { query, limit: PASSAGES, startDate: from ?? START, endDate: to, person },
      similarity,
    );
  const meetings = meetingId
    ? [await readHead(db, caller, meetingId)]
    : rank(
        await Promise.all([
          search(named.rest),
          search(words.map(({ text }) => text).join(" ")),
          ...people.map((person) => search(named.rest, person)),
        ]),
      );
  const turns = await Promise.all(meetings.map((meeting) => readTurns(db, caller, meeting)));
  const picks = pickTurns(named.rest, turns.flat()).slice(0, TURNS);
  return {
    found: picks.length > 0,
    meetings: group(
      picks,
      meetings,
      words.map(({ text }) => text),
    ),
    searched: {
      words: words.map(({ text }) => text),
      people,
      startDate: from?.slice(0, 10) ?? null,
      endDate: to?.slice(0, 10) ?? null,
      byMeaning: similarity?.state().mode === "similarity",
    },
  };
}

const toInstant = (day: string | null, time: string) => (day === null ? undefined : `${day}T${time}Z`);

/** Lists words that are written like names, apart from the first word of the question. */
const listNames = (question: string): string[] => {
  const [, ...rest] = question.split(/\s+/);
  const names = rest.flatMap((word) => /^\p{Lu}\p{Ll}+/u.exec(word)?.[0] ?? []);
  return [...new Set(names)].slice(0, PEOPLE);
};

type Results = Awaited<ReturnType<typeof searchMeetingsInDetail>>;

/** Merges searches: the best meetings by the places of their passages. Notes lead to a meeting, and aren't quoted. */
function rank(searches: readonly Results[]): Found[] {
  const found = new Map<string, Found & { score: number }>();
  for (const { results } of searches)
    for (const [place, { meetingId, meetingTitle, meetingDate, segments }] of results.entries()) {
      const value = 1 / (1 + place);
      const meeting = found.get(meetingId) ?? {
        ...{ meetingId, meetingTitle, meetingDate, score: 0 },
        turns: new Map<number, number>(),
      };
      meeting.score += value;
      for (const { position } of segments)
        meeting.turns.set(position, Math.max(value, meeting.turns.get(position) ?? 0));
      found.set(meetingId, meeting);
    }
  return [...found.values()].toSorted((a, b) => b.score - a.score).slice(0, MEETINGS);
}

async function readHead(db: Database, caller: Reader, meetingId: string): Promise<Found> {
  const { title, startTime } = await getMeeting(db, visibleTo(caller), meetingId);
  return { meetingId, meetingTitle: title, meetingDate: startTime.slice(0, 10), turns: new Map() };
}

async function readTurns(db: Database, caller: Reader, meeting: Found): Promise<TimedTurn[]> {
  const { segments } = await getTranscript(db, visibleTo(caller), meeting.meetingId);
  const turns = segments.map(({ speakerName, text, startSeconds }, position) => ({
    ...{ meetingId: meeting.meetingId, position, speakerName, text, startSeconds },
    found: meeting.turns.get(position) ?? 0,
  }));
  // One that is asked alone has no found turns.
  if (turns.length <= WHOLE || meeting.turns.size === 0) return turns;
  const near = new Set<number>();
  for (const place of meeting.turns.keys())
    for (let position = place - AROUND; position <= place + AROUND; position++) near.add(position);
  return turns.filter(({ position }) => near.has(position));
}

interface TimedTurn extends Turn {
  readonly startSeconds: number | null;
}

/** Groups turns by meeting, in the order of each meeting's best turn. */
function group(
  picks: readonly Picked<TimedTurn>[],
  meetings: readonly Found[],
  words: readonly string[],
): Answer["meetings"] {
  return [...new Set(picks.map(({ meetingId }) => meetingId))].flatMap((meetingId) => {
    const head = meetings.find((meeting) => meeting.meetingId === meetingId);
    if (!head) return [];
    const { meetingTitle, meetingDate } = head;
    const turns = picks
      .filter((pick) => pick.meetingId === meetingId)
      .toSorted((a, b) => a.position - b.position)
      .map(({ position, speakerName, startSeconds, text }) => ({
        ...{ position, speakerName, startSeconds, text: quote(text, words) },
        link: `/meetings/${meetingId}?at=${position}`,
      }));
    return [{ meetingId, meetingTitle, meetingDate, turns }];
  });
}

/** Returns a turn, or the part of a long one around its first word of the question, between words. */
function quote(text: string, words: readonly string[]): string {
  if (text.length <= QUOTE) return text;
  const places = words.map((word) => fold(text).indexOf(fold(word))).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - LEAD);
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const part = text.slice(from, from + QUOTE);
  return from + QUOTE >= text.length ? part : part.slice(0, part.lastIndexOf(" ") + 1 || QUOTE).trim();
}
