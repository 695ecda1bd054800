import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { parameters } from "./parameters.js";

const { space, vector } = parameters;

/**
 * Builds stage 5: the meetings that the costly stages look at.
 *
 * - `word_shortlist`: those with the best chunks by words.
 * - `window_similarities`: how near each chunk is to the query, by its nearest window: of all visible meetings, or
 *   of the word shortlist where the visible ones are too many.
 * - `shortlist`: the word shortlist and the meetings with the nearest chunks.
 */
export const buildShortlist = (similar: boolean): SQL => {
  const byWords = sql`
    select s.document, c.language, c.size
    from word_scores s join candidates c on c.document = s.document
    group by s.document, c.language, c.size
    order by max(s.score) desc, s.document
    limit ${toSqlNumber(RANKING.meetings.close)}`;
  if (!similar) return sql`shortlist as materialized (${byWords})`;
  return sql`
  word_shortlist as materialized (${byWords}),
  window_similarities as materialized (
    select o.document, o.language, o.size, v.chunk::int as chunk, v.similarity
    from (
      select document, language, chunks as size from visible
      where space = ${space} and ((select chunks from totals) <= ${toSqlNumber(RANKING.similarity.searched)}
        or document in (select document from word_shortlist)) offset 0
    ) o
    cross join lateral (
      select chunk, max(-(vector <#> ${vector})) as similarity from search_windows
      where document = o.document group by chunk offset 0
    ) v
  ),
  shortlist as materialized (select * from word_shortlist union (
    select document, language, size from window_similarities
    group by document, language, size
    order by max(similarity) desc, document
    limit ${toSqlNumber(RANKING.similarity.close)}))`;
};
