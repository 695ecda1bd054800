import { toSqlNumber } from "@minutes/db";
import { sql } from "drizzle-orm";
import { CHUNK_STRIDE, NOTES_FROM, RANKING } from "../ranking.js";
import { joinPostings } from "./term-matches.js";

/** Rows of a distance and the share of a phrase's count that reaches a chunk at that distance. */
const spread = sql.raw(
  [
    ...RANKING.spread.onward.map((factor, distance) => `(${distance}, ${factor}::float8)`),
    ...RANKING.spread.back.slice(1).map((factor, nth) => `(${-1 - nth}, ${factor}::float8)`),
  ].join(),
);

/**
 * Stage 8: phrases.
 *
 * - `query_phrases`: pairs of consecutive query terms.
 * - `neighbors`: each occurrence of a term in the shortlist, with the two terms before it.
 * - `phrase_matches`: chunks that contain a pair in order and close together.
 * - `phrase_scores`: a pair counts as its own term, spread over chunks as terms are, but not in notes.
 */
export const phrases = sql`
  query_phrases as materialized (
    select distinct language, former, latter
    from (
      select language, term as latter, lag(term) over (partition by language order by place, term) as former
      from counted_words
    ) w
    where former <> latter
  ), neighbors as (
    select document, language, term, place,
      lag(term) over one as term1, lag(place) over one as place1,
      lag(term, 2) over one as term2, lag(place, 2) over one as place2
    from (select o.documents[p.nth] as document, q.language, p.term collate "C" as term, unnest(p.places) as place from ${joinPostings(sql`shortlist`, "own")}) t
    window one as (partition by document order by place)
  ), phrase_matches as (
    select distinct n.document, n.place / ${toSqlNumber(CHUNK_STRIDE)} as chunk, p.former, p.latter
    from neighbors n
    join query_phrases p on p.language = n.language and p.latter = n.term
      and (p.former = n.term1 and n.place - n.place1 <= ${toSqlNumber(RANKING.phraseReach)}
        or p.former = n.term2 and n.place - n.place2 <= ${toSqlNumber(RANKING.phraseReach)})
  ), phrase_scores as materialized (
    select document, chunk, sum(rarity * count * ${toSqlNumber(RANKING.k1 + 1)} / (count + ${toSqlNumber(RANKING.k1)})) as score
    from (
      select p.document, p.chunk + s.distance as chunk, (f.rarity + l.rarity) / 2 as rarity, sum(s.factor) as count
      from phrase_matches p
      join rarity f on f.term = p.former
      join rarity l on l.term = p.latter
      join (values ${spread}) s (distance, factor) on s.distance = 0 or p.chunk < ${toSqlNumber(NOTES_FROM)}
      group by p.document, p.chunk + s.distance, p.former, p.latter, f.rarity, l.rarity
    ) p
    group by document, chunk
  )`;
