import { type Instant, LIMITS, type SearchResults } from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { inScope, type Scope } from "../meetings/index.js";

const { meetings, searchChunks } = schema;

/** What is searched for; without both dates, the last six months (contract: "Search behaviour"). */
export interface SearchInput {
  readonly query: string;
  readonly startDate?: Instant | undefined;
  readonly endDate?: Instant | undefined;
}

/** The excerpts of the scope's meetings that match best, at most 40, best first. Any word of the query counts. */
export async function searchMeetings(db: Database, scope: Scope, input: SearchInput): Promise<SearchResults> {
  const rows = await execute<ChunkRow>(db, `search_${scope.name}`, () => bestOf(scope), {
    ...scope.values,
    query: input.query,
    startDate: input.startDate,
    endDate: input.endDate,
  });
  return {
    results: rows.map(({ meetingId, position, startTime, ...chunk }) => ({
      id: `${meetingId}-chunk-${position}`,
      ...chunk,
      meetingId,
      meetingDate: startTime.slice(0, 10),
    })),
  };
}

interface ChunkRow {
  readonly text: string;
  readonly meetingId: string;
  readonly position: number;
  readonly meetingTitle: string | null;
  readonly startTime: Instant;
}

const from = sql.placeholder("startDate");
const to = sql.placeholder("endDate");

const bestOf = (scope: Scope) => sql`
  select c.text, c.meeting_id as "meetingId", c.position, m.title as "meetingTitle", m.start_time as "startTime"
  from (select replace(plainto_tsquery('english', ${sql.placeholder("query")})::text, '&', '|')::tsquery as words) q
  join ${searchChunks} c on c.words @@ q.words
  join ${meetings} m on m.id = c.meeting_id
  where ${inScope(scope)}
    and m.start_time >= coalesce(${from}::timestamptz, case when ${to}::timestamptz is null
      then now() - interval '${sql.raw(String(LIMITS.searchDefaultMonths))} months' else '-infinity' end)
    and m.start_time <= coalesce(${to}::timestamptz, 'infinity')
  order by ts_rank_cd(c.words, q.words, 1) desc, c.meeting_id, c.position
  limit ${sql.raw(String(LIMITS.searchResults))}`;
