import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { type Influence, literal, parameters } from "./parameters.js";

const { space, vector } = parameters;

/**
 * Stage 5, `shortlist`: the meetings that the costly stages look at: those with the best chunks by words, and, where
 * similarity may find, those with the nearest chunks.
 */
export const shortlist = (influence: Influence | null): SQL => {
  const byWords = sql`
    select s.document, c.language, c.size
    from word_scores s join candidates c on c.document = s.document
    group by s.document, c.language, c.size
    order by max(s.score) desc, s.document
    limit ${literal(RANKING.meetings.close)}`;
  if (!influence?.finds) return sql`shortlist as materialized (${byWords})`;
  return sql`
  shortlist as materialized ((${byWords}) union (
    select o.document, o.language, o.size
    from (
      select document, language, chunks as size from visible
      where space = ${space} and (select sum(chunks) from visible) <= ${literal(RANKING.similarity.searched)} offset 0
    ) o
    cross join lateral (
      select min(vector <=> ${vector}) as distance from search_vectors where document = o.document offset 0
    ) v
    order by v.distance, o.document
    limit ${literal(RANKING.similarity.close)}))`;
};
