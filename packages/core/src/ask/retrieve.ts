import type { Answer, Ask, Instant } from "@minutes/contract";
import type { Database } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import { type UserCaller, visibleTo } from "../access/index.js";
import { getMeeting, getTranscript, searchMeetingsInDetail } from "../meetings/index.js";
import { findDays } from "./find-days.js";
import type { Turn } from "./pick-turns.js";
import { listContentWords } from "./words.js";

/** Number of passages that each query finds, and of meetings whose transcripts are read. */
const PASSAGES = 20;
const MEETINGS = 6;
/** Number of turns of a transcript that are compared as a whole, and around each found turn of a longer one. */
const WHOLE = 1_500;
const AROUND = 20;
/** Maximum number of people whose meetings are searched in addition. */
const PEOPLE = 2;

const START: Instant = "0001-01-01T00:00:00.000Z";

/** Who asks. */
export type Reader = Pick<UserCaller, "userId">;

/** A meeting that search found. */
export interface Found {
  readonly meetingId: string;
  readonly meetingTitle: string | null;
  readonly meetingDate: string;
  /** How well each turn was found, by its position. */
  readonly turns: Map<number, number>;
}

/** A turn of a transcript. */
export interface TimedTurn extends Turn {
  readonly startSeconds: number | null;
}

/** What was found for a question. */
export interface Retrieved {
  /** The question without the days that it names. */
  readonly question: string;
  /** The best first. */
  readonly meetings: readonly Found[];
  /** Turns of these meetings, in order. */
  readonly turns: readonly TimedTurn[];
  readonly searched: Answer["searched"];
}

/**
 * Finds the meetings that the caller can read and that may answer a question, and reads their transcripts. Nothing of a
 * summary is read.
 * @throws ApiError 403 or 404 for a meeting that the caller can't read
 */
export async function retrieve(
  db: Database,
  caller: Reader,
  { question, meetingId, startDate, endDate }: Ask,
  similarity: SimilaritySearch | undefined,
): Promise<Retrieved> {
  const isNarrowed = startDate !== undefined || endDate !== undefined || meetingId !== undefined;
  const named = isNarrowed ? { from: null, to: null, rest: question } : findDays(question, new Date());
  const words = listContentWords(named.rest).map(({ text }) => text);
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
          search(words.join(" ")),
          ...people.map((person) => search(named.rest, person)),
        ]),
      );
  const turns = await Promise.all(meetings.map((meeting) => readTurns(db, caller, meeting)));
  return {
    question: named.rest,
    meetings,
    turns: turns.flat(),
    searched: {
      words,
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
