import type { Answer, Ask } from "@minutes/contract";
import type { Database, Deadline } from "@minutes/db";
import { ALL_TIME, type SimilaritySearch } from "@minutes/search";
import { type UserCaller, visibleTo } from "../access/index.js";
import { searchMeeting, searchMeetingsInDetail } from "../meetings/index.js";
import { DAY_WORDS, findDays } from "./find-days.js";
import type { Turn } from "./pick-turns.js";
import { readTurnsToCompare } from "./read-turns.js";
import { listContentWords } from "./words.js";

/** Number of passages that each query finds, and of meetings whose transcripts are read. */
const PASSAGES = 20;
const MEETINGS = 6;
/** Maximum number of people whose meetings are searched in addition. */
const PEOPLE = 2;

/** What a question is answered with. */
export interface RetrieveOptions {
  readonly similarity?: SimilaritySearch | undefined;
  readonly deadline?: Deadline | undefined;
}

/** A meeting whose turns may answer. */
export interface Found {
  readonly meetingId: string;
  readonly meetingTitle: string;
  readonly meetingDate: string;
}

/** How well search found each turn of a meeting, by its position. */
type FoundTurns = ReadonlyMap<number, number>;

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
  caller: UserCaller,
  { question, meetingId, startDate, endDate }: Ask,
  { similarity, deadline }: RetrieveOptions,
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
      { query, limit: PASSAGES, startDate: from ?? ALL_TIME.startDate, endDate: to, person },
      similarity,
    );
  const queries = [named.rest, words.join(" ")];
  const [byWords, byPerson] = meetingId
    ? [[], []]
    : await Promise.all([
        Promise.all(queries.map((query) => search(query))),
        Promise.all(people.map((person) => search(named.rest, person))),
      ]);
  const found = meetingId
    ? [{ meetingId, turns: new Map<number, number>() }]
    : rank([...byWords, ...byPerson]);
  deadline?.check();
  const read = await Promise.all(
    found.map((meeting) => readTurns(db, caller, { ...meeting, queries }, similarity)),
  );
  return {
    question: named.rest,
    meetings: read.map(({ head }) => head),
    turns: read.flatMap(({ turns }) => turns),
    searched: {
      words,
      people: people.filter((_, at) => (byPerson[at]?.results.length ?? 0) > 0),
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
  return [...new Set(names.filter((name) => !DAY_WORDS.has(name.toLowerCase())))].slice(0, PEOPLE);
};

type Results = Awaited<ReturnType<typeof searchMeetingsInDetail>>;

/** Merges searches: the best meetings by the places of their passages. Notes lead to a meeting, and aren't quoted. */
function rank(searches: readonly Results[]): { meetingId: string; turns: FoundTurns }[] {
  const found = new Map<string, { meetingId: string; turns: Map<number, number>; score: number }>();
  for (const { results } of searches)
    for (const [place, { meetingId, segments }] of results.entries()) {
      const value = 1 / (1 + place);
      const meeting = found.get(meetingId) ?? { meetingId, turns: new Map<number, number>(), score: 0 };
      meeting.score += value;
      for (const { position } of segments)
        meeting.turns.set(position, Math.max(value, meeting.turns.get(position) ?? 0));
      found.set(meetingId, meeting);
    }
  return [...found.values()].toSorted((a, b) => b.score - a.score).slice(0, MEETINGS);
}

interface Sought {
  readonly meetingId: string;
  readonly turns: FoundTurns;
  readonly queries: readonly string[];
}

/**
 * Reads the turns of a meeting to compare. If the transcript is long and none of its turns were found, because only its
 * notes were or it is asked alone, searches within it.
 * @throws ApiError 403 or 404 for a meeting that the caller can't read
 */
async function readTurns(
  db: Database,
  caller: UserCaller,
  { meetingId, turns: known, queries }: Sought,
  similarity: SimilaritySearch | undefined,
): Promise<{ readonly head: Found; readonly turns: readonly TimedTurn[] }> {
  const scope = visibleTo(caller);
  let found = known;
  let meeting = await readTurnsToCompare(db, scope, meetingId, found);
  if (meeting.isLong && found.size === 0) {
    const searches = queries.map((query) => searchMeeting(db, scope, meetingId, query, similarity));
    found = rank(await Promise.all(searches))[0]?.turns ?? found;
    if (found.size > 0) meeting = await readTurnsToCompare(db, scope, meetingId, found);
  }
  return {
    head: { meetingId, meetingTitle: meeting.title, meetingDate: meeting.startTime.slice(0, 10) },
    turns: meeting.turns.map((turn) => ({
      ...{ ...turn, meetingId, meetingTitle: meeting.title, meetingStart: meeting.startTime },
      found: found.get(turn.position) ?? 0,
    })),
  };
}
