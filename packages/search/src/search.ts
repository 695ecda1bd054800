import type { DetailedSearchResults, Instant, SearchResults } from "@minutes/contract";
import { type Database, execute } from "@minutes/db";
import { expandQuery } from "./expansions.js";
import type { SearchScope } from "./scope.js";
import type { SimilaritySearch } from "./similarity/circuit-breaker.js";
import { type QueryVector, toVectorText } from "./similarity/embedder.js";
import { buildSearchStatement } from "./statement/statement.js";

/** What is searched for; without both dates, the last six months. @see docs/specification.md#search-behaviour */
export interface SearchInput {
  readonly query: string;
  readonly startDate?: Instant | undefined;
  readonly endDate?: Instant | undefined;
}

/** Times between which every meeting starts. */
const ALL_TIME = { startDate: "0001-01-01T00:00:00.000Z", endDate: "9999-12-31T23:59:59.999Z" };

/**
 * Finds the chunks of the scope's meetings that match best, at most 40, best first. Any word of the query counts, and
 * similarity where there is any; without it, or while it fails, words alone decide.
 */
export async function searchChunks(
  db: Database,
  scope: SearchScope,
  input: SearchInput,
  similarity?: SimilaritySearch | undefined,
): Promise<SearchResults> {
  const rows = await rankChunks(db, scope, input, await embed(input, similarity));
  return { results: rows.map(toSearchChunk) };
}

/**
 * Finds the same chunks in the same order, at most `limit`, with the segments that each consists of. Where the range has
 * no match, it says how many there are in all time.
 */
export async function searchChunksInDetail(
  db: Database,
  scope: SearchScope,
  input: SearchInput & { readonly limit: number },
  similarity?: SimilaritySearch | undefined,
): Promise<DetailedSearchResults> {
  const near = await embed(input, similarity);
  const rows = await rankChunks(db, scope, input, near, true);
  const results = rows
    .slice(0, input.limit)
    .map((row) => ({ ...toSearchChunk(row), segments: [...(row.segments ?? [])] }));
  if (results.length > 0) return { results, allTime: null };
  const all = await rankChunks(db, scope, { query: input.query, ...ALL_TIME }, near);
  const [firstDate] = all.map(({ startTime }) => startTime.slice(0, 10)).sort();
  return { results, allTime: firstDate === undefined ? null : { matches: all.length, firstDate } };
}

/** A chunk that was found, and why. Scores can be compared only within one answer. */
export interface RankedChunk {
  readonly text: string;
  readonly meetingId: string;
  /** Place among the meeting's chunks, from 0. */
  readonly position: number;
  readonly meetingTitle: string | null;
  readonly startTime: Instant;
  /** What the order goes by. */
  readonly score: number;
  /** What part of the query the chunk's words cover, from 0 to 1; spread words and phrases count. */
  readonly coverage: number;
  /** How near its meaning is to the query's, smoothed over its neighbours; 0 in a search by words. */
  readonly similarity: number;
  /** What part of it is said by people whom the query names, from 0 to 1. */
  readonly speaker: number;
  /** The mean coverage of the meeting's chunks. */
  readonly meeting: number;
  /** Absent unless asked for. */
  readonly segments?: DetailedSearchResults["results"][number]["segments"];
}

/** Finds the same chunks with the parts of their scores, for operators who ask why. */
export async function explainRanking(
  db: Database,
  scope: SearchScope,
  input: SearchInput,
  similarity?: SimilaritySearch | undefined,
): Promise<{ byMeaning: boolean; chunks: readonly RankedChunk[] }> {
  const near = await embed(input, similarity);
  return { byMeaning: near !== null, chunks: await rankChunks(db, scope, input, near) };
}

const embed = async ({ query }: SearchInput, similarity: SimilaritySearch | undefined) =>
  (await similarity?.embedQuery(query)) ?? null;

/** Finds the best chunks, by similarity too where the query has a vector. */
async function rankChunks(
  db: Database,
  scope: SearchScope,
  input: SearchInput,
  near: QueryVector | null,
  segments = false,
): Promise<RankedChunk[]> {
  const kind = `${near ? "similar" : "words"}${segments ? "_segments" : ""}`;
  return execute<RankedChunk>(
    db,
    `search_${scope.name}_${kind}`,
    () => buildSearchStatement(scope, { similar: near !== null, segments }),
    {
      ...scope.values,
      query: input.query,
      startDate: input.startDate,
      endDate: input.endDate,
      space: near?.space,
      expansions: JSON.stringify(expandQuery(input.query)),
      vector: near ? toVectorText(near.vector) : undefined,
    },
  );
}

const toSearchChunk = ({ text, meetingId, position, meetingTitle, startTime }: RankedChunk) => ({
  id: `${meetingId}-chunk-${position}`,
  text,
  meetingTitle,
  meetingId,
  meetingDate: startTime.slice(0, 10),
});
