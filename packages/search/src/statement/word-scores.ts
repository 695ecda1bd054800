import { toSqlNumber } from "@minutes/db";
import { sql } from "drizzle-orm";
import { MAX_WEIGHT, WEIGHT_STEPS } from "../ranking.js";

/** One step of a stored weight, in the units of the formulas. */
const step = toSqlNumber(MAX_WEIGHT / WEIGHT_STEPS);

/**
 * Stage 5, `word_scores`: the BM25 score of each chunk of the candidates: stored weight × gain, summed over the query's
 * terms. Of a term and its expansions the best counts, so that many weak ones don't add up.
 * Groups are of numbers, which cost less to hash than terms. Weights are unfolded in a select list: as a join, PostgreSQL caches
 * the bytes first, which takes twice as long.
 */
export const wordScores = sql`
  word_scores as materialized (
    select document, chunk, sum(score) * ${step} as score
    from (
      select document, first + at as chunk, nth, max(gain * get_byte(weights, at)) as score
      from (
        select h.document, h.first, h.weights, g.nth, g.gain, generate_series(0, octet_length(h.weights) - 1) as at
        from term_matches h join candidates c on c.document = h.document join gains g on g.match = h.term
      ) w
      group by document, first + at, nth
    ) t
    group by document, chunk
  )`;
