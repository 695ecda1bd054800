import type { SearchResults } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { type SearchInput, type SearchScope, type SimilaritySearch, searchChunks } from "@minutes/search";
import { type SQL, sql } from "drizzle-orm";
import { fromLinks, isColumnSource, type Scope, whereColumn } from "../access/index.js";

const { meetings } = schema;

/** Searches the meetings of a scope, by words and, where there is any, by similarity. */
export const searchMeetings = (
  db: Database,
  scope: Scope,
  input: SearchInput,
  similarity?: SimilaritySearch | undefined,
): Promise<SearchResults> => searchChunks(db, toSearchScope(scope), input, similarity);

/** Gives search the meetings of a scope: all that it ever reads. */
export const toSearchScope = (scope: Scope): SearchScope => ({
  name: scope.name,
  values: scope.values,
  meetings: (inRange) =>
    sql.join(
      scope.sources.map(
        (source): SQL =>
          isColumnSource(source)
            ? sql`select m.id from ${meetings} m where ${whereColumn(source, "m")} and ${inRange(sql`m.start_time`)}`
            : sql`select l.meeting_id from ${fromLinks(source)} and ${inRange(sql`l.start_time`)}`,
      ),
      sql` union `,
    ),
});
