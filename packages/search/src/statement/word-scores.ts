import { toSqlNumber } from "@minutes/db";
import { sql } from "drizzle-orm";
import { MAX_WEIGHT, WEIGHT_STEPS } from "../ranking.js";

/** The value of one step of a stored weight. */
const step = toSqlNumber(MAX_WEIGHT / WEIGHT_STEPS);

/**
 * Stage 5, `word_scores`: the BM25 score of each chunk of the candidates: stored weight × gain, summed over the query's
 * terms. Only the best of a term and its expansions counts, so many weak ones don't add up. Groups use numbers, which
 * hash faster than terms. Weights are unpacked in a select list: in a join, PostgreSQL would first cache the bytes,
 * which takes twice as long.
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
