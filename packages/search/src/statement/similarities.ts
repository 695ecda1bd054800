import { type SQL, sql } from "drizzle-orm";
import { type Influence, parameters } from "./parameters.js";

const { space, vector } = parameters;

/**
 * Stage 6, `similarities`: how near each chunk of the shortlist is to the query; where similarity may find, smoothed
 * over its neighbours.
 */
export const similarities = ({ finds }: Influence): SQL => {
  const similarity = finds
    ? sql`(similarity + 0.5 * coalesce(lag(similarity) over one, similarity)
        + 0.5 * coalesce(lead(similarity) over one, similarity)) / 2`
    : sql`similarity`;
  return sql`
  similarities as materialized (
    select document, chunk, ${similarity} as similarity
    from (
      select o.document, v.chunk, v.similarity
      from (select document from visible join shortlist using (document) where space = ${space} offset 0) o
      cross join lateral (
        select chunk::int as chunk, 1 - (vector <=> ${vector}) as similarity from search_vectors
        where document = o.document offset 0
      ) v
    ) v
    window one as (partition by document order by chunk)
  )`;
};
