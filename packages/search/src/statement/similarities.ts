import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { NOTES_FROM, RANKING } from "../ranking.js";

/** Sums each neighbor's contribution to a chunk's similarity. A missing neighbor counts as the chunk itself. */
const sumNeighbours = (): SQL => {
  const { onward, back } = RANKING.similarity.smoothing;
  const terms = [
    ...onward.map(
      (factor, nth) =>
        sql`${toSqlNumber(factor)} * lag(similarity, ${toSqlNumber(nth + 1)}, similarity) over one`,
    ),
    ...back.map(
      (factor, nth) =>
        sql`${toSqlNumber(factor)} * lead(similarity, ${toSqlNumber(nth + 1)}, similarity) over one`,
    ),
  ];
  return sql.join(terms, sql` + `);
};
const total = [...RANKING.similarity.smoothing.onward, ...RANKING.similarity.smoothing.back].reduce(
  (sum, factor) => sum + factor,
  1,
);

/** Stage 7, `similarities`: the similarity of each shortlisted chunk to the query, smoothed over its neighbors. Notes are not smoothed. */
export const similarities = sql`
  similarities as materialized (
    select document, chunk, size, case when chunk < ${toSqlNumber(NOTES_FROM)}
      then (similarity + ${sumNeighbours()}) / ${toSqlNumber(total)} else similarity end as similarity
    from window_similarities join shortlist using (document, language, size)
    window one as (partition by document order by chunk)
  )`;
