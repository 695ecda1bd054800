import { sql } from "drizzle-orm";
import { MAX_WEIGHT, WEIGHT_STEPS } from "../ranking.js";
import { postingsIn } from "./matches.js";
import { literal } from "./parameters.js";

/** One step of a stored weight, in the units of the formulas. */
const step = literal(MAX_WEIGHT / WEIGHT_STEPS);

/**
 * Stage 4, `word_scores`: the BM25 score of each chunk of the candidates: stored weight × rarity, summed over terms.
 * Weights are unfolded in a select list: as a join, PostgreSQL caches the bytes first, which takes twice as long.
 */
export const wordScores = sql`
  word_scores as materialized (
    select document, first + at as chunk, sum(rarity * get_byte(weights, at)) * ${step} as score
    from (
      select p.document, p.first, p.weights, r.rarity, generate_series(0, octet_length(p.weights) - 1) as at
      from ${postingsIn(sql`candidates`)} join rarity r on r.term = p.term
    ) w
    group by document, first + at
  )`;
