import { LIMITS } from "@minutes/contract";
import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { buildInverseDocumentFrequency } from "./term-matches.js";

/**
 * Builds stage 9, the final score of each chunk, and the best 40.
 *
 * - `best_possible`: what a chunk with every term of the query would score by words. A term that no visible meeting has
 *   counts as the rarest, so that words weigh little where they find little, and similarity the more.
 * - `chunk_scores`: coverage, the part of that which a chunk's words reach, and its similarity.
 * - `ranked`: both together, raised by the share of speakers whom the query names, and by the mean coverage of the
 *   meeting; with these four parts, for those who ask why.
 */
export const buildRanked = (similar: boolean): SQL => sql`
  best_possible as materialized (
    select sum(q.part * coalesce(r.rarity, ${buildInverseDocumentFrequency(sql`0`, sql`0`)})) * ${toSqlNumber(RANKING.k1 + 1)} as score
    from query_terms q left join rarity r on r.term = q.term cross join totals t
  ), chunk_scores as (${selectChunkScores(similar)}
  ), ranked as (
    select document, chunk, coverage, similarity, speaker, meeting,
      (coverage + ${toSqlNumber(RANKING.similarity.weight)} * similarity) * (1 + ${toSqlNumber(RANKING.speaker.weight)} * speaker)
      + ${toSqlNumber(RANKING.meeting)} * meeting as score
    from (
      select f.document, f.chunk, f.coverage, f.similarity, coalesce(k.share, 0) as speaker,
        sum(f.coverage) over meeting / max(f.size) over meeting as meeting
      from chunk_scores f
      left join speaker_shares k on k.document = f.document and k.chunk = f.chunk
      window meeting as (partition by f.document)
    ) p
    order by score desc, document, chunk
    limit ${toSqlNumber(LIMITS.searchResults)}
  )`;

const selectChunkScores = (similar: boolean): SQL => {
  const words = sql`
    select s.document, s.chunk, c.size, (s.score + coalesce(p.score, 0)) / b.score as coverage
    from word_scores s
    join shortlist c on c.document = s.document
    left join phrase_scores p on p.document = s.document and p.chunk = s.chunk
    cross join best_possible b
    where s.score > 0`;
  if (!similar) return sql`select document, chunk, size, coverage, 0 as similarity from (${words}) w`;
  // A meeting that has no vectors yet is taken to be as similar as the others are on average.
  return sql`
    select document, chunk, size, coalesce(coverage, 0) as coverage,
      coalesce(similarity, avg(similarity) over (), 0) as similarity
    from (${words}) w full join similarities using (document, chunk, size)`;
};
