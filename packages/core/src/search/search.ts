import { type Instant, LIMITS, type SearchResults } from "@minutes/contract";
import { type Database, prepared, schema } from "@minutes/db";
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
  const rows = await prepared(db, `search_${scope.name}`, (db, name) =>
    searchStatement(db, name, scope),
  ).execute({
    ...scope.values,
    query: input.query,
    startDate: input.startDate ?? null,
    endDate: input.endDate ?? null,
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

const searchStatement = (db: Database, name: string, scope: Scope) => {
  const from = sql.placeholder("startDate");
  const to = sql.placeholder("endDate");
  return db
    .select({
      text: sql<string>`c.text`,
      meetingId: sql<string>`c.meeting_id`,
      position: sql<number>`c.position`,
      meetingTitle: sql<string | null>`m.title`,
      startTime: sql<string>`m.start_time`.mapWith(meetings.startTime),
    })
    .from(sql`
      (select replace(plainto_tsquery('english', ${sql.placeholder("query")})::text, '&', '|')::tsquery as words) q
      join ${searchChunks} c on c.words @@ q.words
      join ${meetings} m on m.id = c.meeting_id
      where ${inScope(scope)}
        and m.start_time >= coalesce(${from}::timestamptz, case when ${to}::timestamptz is null
          then now() - interval '${sql.raw(String(LIMITS.searchDefaultMonths))} months' else '-infinity' end)
        and m.start_time <= coalesce(${to}::timestamptz, 'infinity')
      order by ts_rank_cd(c.words, q.words, 1) desc, c.meeting_id, c.position
      limit ${sql.raw(String(LIMITS.searchResults))}`)
    .prepare(name);
};
