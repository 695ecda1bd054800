import {
  type DetailedSearchResults,
  LIMITS,
  type RatedSearchResults,
  type SearchMeetingsInDetail,
  type SearchProgress,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import {
  ALL_TIME,
  countWaiting,
  type SearchInput,
  type SearchScope,
  type SimilaritySearch,
  searchChunks,
  searchChunksInDetail,
} from "@minutes/search";
import { type SQL, sql } from "drizzle-orm";
import {
  buildLinksFromWhere,
  buildScopeCondition,
  isColumnSource,
  type Scope,
  whereColumn,
} from "../access/index.js";
import { namesPerson } from "../people/index.js";

const { meetings, participants } = schema;

/** Searches the meetings of a scope by words and, if available, by similarity. */
export const searchMeetings = (
  db: Database,
  scope: Scope,
  input: SearchInput,
  similarity?: SimilaritySearch | undefined,
): Promise<RatedSearchResults> => searchChunks(db, toSearchScope(scope), input, similarity);

/** Searches as `searchMeetings` does, with each result's turns and, if nothing is found, the matches of all time. */
export const searchMeetingsInDetail = (
  db: Database,
  scope: Scope,
  { person, ...input }: Omit<SearchMeetingsInDetail, "tag" | "whose">,
  similarity?: SimilaritySearch | undefined,
): Promise<DetailedSearchResults> =>
  searchChunksInDetail(db, narrowToPerson(toSearchScope(scope), person), input, similarity);

/** Searches a single meeting of a scope, in the same way. */
export const searchMeeting = (
  db: Database,
  scope: Scope,
  meetingId: string,
  query: string,
  similarity?: SimilaritySearch | undefined,
): Promise<DetailedSearchResults> =>
  searchChunksInDetail(
    db,
    {
      name: `${scope.name}_meeting`,
      values: { ...scope.values, meetingId },
      meetings: (inRange) => sql`
        select m.id from ${meetings} m
        where m.id = ${sql.placeholder("meetingId")} and ${buildScopeCondition(scope)} and ${inRange(sql`m.start_time`)}`,
    },
    { query, limit: LIMITS.searchResults, ...ALL_TIME },
    similarity,
  );

/** Counts the scope's meetings that a new model has not encoded yet, for the console. */
export const readSearchProgress = (
  db: Database,
  scope: Scope,
  similarity?: SimilaritySearch | undefined,
): Promise<SearchProgress> => countWaiting(db, toSearchScope(scope), similarity);

/** Returns a scope's meetings for search, which reads nothing else. */
export const toSearchScope = (scope: Scope): SearchScope => ({
  name: scope.name,
  values: scope.values,
  meetings: (inRange) =>
    sql.join(
      scope.sources.map(
        (source): SQL =>
          isColumnSource(source)
            ? sql`select m.id from ${meetings} m where ${whereColumn(source, "m")} and ${inRange(sql`m.start_time`)}`
            : sql`select l.meeting_id from ${buildLinksFromWhere(source)} and ${inRange(sql`l.start_time`)}`,
      ),
      sql` union `,
    ),
});

const person = sql.placeholder("person");

/** Restricts to meetings in which a person spoke, by e-mail address or part of the name, without accents; all if no person is given. */
const narrowToPerson = (scope: SearchScope, text: string | undefined): SearchScope =>
  text === undefined
    ? scope
    : {
        name: `${scope.name}_person`,
        values: { ...scope.values, person: text },
        meetings: (inRange) => sql`
          select v.id from (${scope.meetings(inRange)}) v (id) where exists (
            select from ${participants} p where p.meeting_id = v.id
              and ${namesPerson(person, { name: sql`p.name`, email: sql`p.email` })})`,
      };
