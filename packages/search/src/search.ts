import type { DetailedSearchResults, Instant, RatedSearchResults, Relevance } from "@minutes/contract";
import { type Database, runNamedStatement } from "@minutes/db";
import { sql } from "drizzle-orm";
import { expandQuery } from "./expansions.js";
import { classifyChunks } from "./relevance.js";
import type { SearchScope } from "./scope.js";
import type { SimilaritySearch } from "./similarity/circuit-breaker.js";
import { type QueryVector, toVectorText } from "./similarity/embedder.js";
import { buildSearchStatement } from "./statement/statement.js";

/** Parameters of a search. Without both dates, the last six months. @see docs/specification.md#search-behaviour */
export interface SearchInput {
  readonly query: string;
  readonly startDate?: Instant | undefined;
  readonly endDate?: Instant | undefined;
}

/** A range that contains every meeting's start. */
export const ALL_TIME = { startDate: "0001-01-01T00:00:00.000Z", endDate: "9999-12-31T23:59:59.999Z" };

/**
 * Finds up to 40 best matching chunks in the scope's meetings, best first. Any word of the query counts, plus
 * similarity if available. If similarity fails, words alone decide. A query that nothing fits has no results.
 */
export async function searchChunks(
  db: Database,
  scope: SearchScope,
  input: SearchInput,
  similarity?: SimilaritySearch | undefined,
): Promise<RatedSearchResults> {
  const near = await embed(input, similarity);
  const found = classifyChunks(await rankChunks(db, scope, input, near), near?.scale);
  return { results: found.map(toSearchChunk) };
}

/**
 * Finds the same chunks in the same order, at most `limit`, with their segments. If the range has no match, reports the
 * number of matches of all time; related results don't count.
 */
export async function searchChunksInDetail(
  db: Database,
  scope: SearchScope,
  input: SearchInput & { readonly limit: number },
  similarity?: SimilaritySearch | undefined,
): Promise<DetailedSearchResults> {
  const near = await embed(input, similarity);
  const rows = classifyChunks(await rankChunks(db, scope, input, near, true), near?.scale);
  const results = rows.slice(0, input.limit).map((row) => ({
    ...toSearchChunk(row),
    segments: [...(row.segments ?? [])],
  }));
  const { startDate, endDate = ALL_TIME.endDate } = input;
  const searchedAll =
    startDate !== undefined && startDate <= ALL_TIME.startDate && endDate >= ALL_TIME.endDate;
  if (rows.some(({ relevance }) => relevance === "match") || searchedAll) return { results, allTime: null };
  const all = classifyChunks(
    await rankChunks(db, scope, { query: input.query, ...ALL_TIME }, near),
    near?.scale,
  ).filter(({ relevance }) => relevance === "match");
  const [firstDate] = all.map(({ startTime }) => startTime.slice(0, 10)).sort();
  return { results, allTime: firstDate === undefined ? null : { matches: all.length, firstDate } };
}

/** A found chunk with its score. Scores are comparable only within one answer. */
interface RankedChunk {
  readonly text: string;
  readonly meetingId: string;
  /** Index among the meeting's chunks, from 0. */
  readonly position: number;
  readonly meetingTitle: string | null;
  readonly startTime: Instant;
  /** The final score, by which results are ordered. */
  readonly score: number;
  /** Share of the query covered by the chunk's words, from 0 to 1, including spread words and phrases. */
  readonly coverage: number;
  /**
   * Similarity of its meaning to the query's, smoothed over its neighbors, in units of coverage. Unrelated text has 0, and so has
   * every chunk in a lexical search.
   */
  readonly similarity: number;
  /** False for a chunk without a vector to compare: its similarity is assumed. */
  readonly isCompared: boolean;
  /** Number of chunks that were searched. */
  readonly visibleChunks: number;
  /** Share of its words said by people named in the query, from 0 to 1. */
  readonly speaker: number;
  /** The mean coverage of the meeting's chunks. */
  readonly meeting: number;
  /** Absent unless requested. */
  readonly segments?: DetailedSearchResults["results"][number]["segments"];
}

/** A ranked chunk with its mark; null if the search was refused, so that users see no results. */
export type ExplainedChunk = RankedChunk & { readonly relevance: Relevance | null };

/** Finds the same chunks with their score components and segments, also those of a refused search, for operators. */
export async function explainRanking(
  db: Database,
  scope: SearchScope,
  input: SearchInput,
  similarity?: SimilaritySearch | undefined,
): Promise<{ byMeaning: boolean; chunks: readonly ExplainedChunk[] }> {
  const near = await embed(input, similarity);
  const ranked = await rankChunks(db, scope, input, near, true);
  const kept = classifyChunks(ranked, near?.scale);
  const chunks = kept.length > 0 ? kept : ranked.map((chunk) => ({ ...chunk, relevance: null }));
  return { byMeaning: near !== null, chunks };
}

const embed = async ({ query }: SearchInput, similarity: SimilaritySearch | undefined) =>
  (await similarity?.embedQuery(query)) ?? null;

/** Finds the best chunks, with similarity if the query has a vector. */
async function rankChunks(
  db: Database,
  scope: SearchScope,
  input: SearchInput,
  near: QueryVector | null,
  segments = false,
): Promise<RankedChunk[]> {
  const kind = `${near ? "similar" : "words"}${segments ? "_segments" : ""}`;
  return runNamedStatement<RankedChunk>(
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
      unrelated: near?.scale.unrelated,
      weight: near?.scale.weight,
    },
    { holder: scope.values.caller },
  );
}

type RatedChunk = RankedChunk & { readonly relevance: Relevance };
const toSearchChunk = ({ text, meetingId, position, meetingTitle, startTime, relevance }: RatedChunk) => ({
  id: `${meetingId}-chunk-${position}`,
  text,
  meetingTitle,
  meetingId,
  meetingDate: startTime.slice(0, 10),
  relevance,
});

/** Runs a lexical search and returns the lines of the query plan used, with times in ms. */
export async function explainSearch(
  db: Database,
  scope: SearchScope,
  input: { readonly query: string; readonly startDate: string; readonly endDate: string },
): Promise<string[]> {
  const rows = await runNamedStatement<{ "QUERY PLAN": string }>(
    db,
    `explain_search_${scope.name}`,
    () => sql`explain (analyze, costs off) ${buildSearchStatement(scope, { similar: false })}`,
    { ...scope.values, ...input, expansions: JSON.stringify(expandQuery(input.query)) },
  );
  return rows.map((row) => row["QUERY PLAN"]);
}
