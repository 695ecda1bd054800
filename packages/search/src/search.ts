import type { Instant, SearchResults } from "@minutes/contract";
import { type Database, execute } from "@minutes/db";
import { expandQuery } from "./expansions.js";
import type { SearchScope } from "./scope.js";
import type { SimilaritySearch } from "./similarity/circuit-breaker.js";
import { toVectorText } from "./similarity/embedder.js";
import { buildSearchStatement } from "./statement/statement.js";

/** What is searched for; without both dates, the last six months. @see docs/specification.md#search-behaviour */
export interface SearchInput {
  readonly query: string;
  readonly startDate?: Instant | undefined;
  readonly endDate?: Instant | undefined;
}

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
  const rows = await rankChunks(db, scope, input, similarity);
  return {
    results: rows.map(({ text, meetingId, position, meetingTitle, startTime }) => ({
      id: `${meetingId}-chunk-${position}`,
      text,
      meetingTitle,
      meetingId,
      meetingDate: startTime.slice(0, 10),
    })),
  };
}

/** Finds the best chunks with their scores, which can be compared only within one answer. */
async function rankChunks(
  db: Database,
  scope: SearchScope,
  input: SearchInput,
  similarity?: SimilaritySearch | undefined,
): Promise<RankedChunk[]> {
  const near = (await similarity?.embedQuery(input.query)) ?? null;
  const kind = near ? "similar" : "words";
  return execute<RankedChunk>(
    db,
    `search_${scope.name}_${kind}`,
    () => buildSearchStatement(scope, near !== null),
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

interface RankedChunk {
  readonly text: string;
  readonly meetingId: string;
  readonly position: number;
  readonly meetingTitle: string | null;
  readonly startTime: Instant;
  readonly score: number;
}
