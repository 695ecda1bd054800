import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { parameters } from "./parameters.js";

const { space, vector } = parameters;

/**
 * Selects the similarity of each chunk of documents to the query, by its nearest window.
 * @param comparison compares the number of visible chunks with the limit; if false, nothing is selected
 */
const selectNearWindows = (documents: SQL, comparison: "<=" | ">"): SQL => sql`
    select o.documents[s.nth] as document, o.language, o.sizes[s.nth] as size, s.chunk::int as chunk, s.similarity
    from (
      select language, array_agg(document) as documents, array_agg(chunks::int) as sizes from ${documents} d
      where space = ${space} and (select chunks from totals) ${sql.raw(comparison)} ${toSqlNumber(RANKING.similarity.searched)}
      group by language
    ) o
    cross join lateral find_similarities(o.documents, ${vector}) s`;

/**
 * Builds stage 4: the meetings whose chunks are scored.
 *
 * - `near_windows`: the similarity of each chunk of all visible meetings to the query, by its nearest window; empty if
 *   there are too many visible chunks.
 * - `near_meetings`: the meetings with the nearest chunks.
 * - `candidates`: the word candidates and the near meetings.
 */
export const buildCandidates = (similar: boolean): SQL => {
  if (!similar) return sql`candidates as materialized (select * from word_candidates)`;
  return sql`
  near_windows as materialized (${selectNearWindows(sql`visible`, "<=")}
  ), near_meetings as materialized (
    select document, language, size from near_windows
    group by document, language, size
    order by max(similarity) desc, document
    limit ${toSqlNumber(RANKING.similarity.close)}
  ), candidates as materialized (select * from word_candidates union select * from near_meetings)`;
};

/**
 * Builds stage 6: the meetings for the expensive stages.
 *
 * - `word_shortlist`: the meetings with the best lexical chunks.
 * - `window_similarities`: the near windows; if there are too many visible chunks, those of the word shortlist.
 * - `shortlist`: the word shortlist and the near meetings.
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
  word_shortlist as materialized (${byWords}
  ), window_similarities as materialized (
    select * from near_windows
    union all
    (${selectNearWindows(sql`(select v.* from visible v join word_shortlist using (document))`, ">")})
  ), shortlist as materialized (select * from word_shortlist union select * from near_meetings)`;
};
