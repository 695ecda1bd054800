import { LIMITS } from "@minutes/contract";
import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { NOTES_FROM, RANKING } from "../ranking.js";
import { parameters } from "./parameters.js";
import { buildInverseDocumentFrequency } from "./term-matches.js";

/**
 * Builds stage 10: the final score of each chunk, and the best 40.
 *
 * - `best_possible`: the lexical score of a chunk with every term of the query. A term that no visible meeting contains
 *   counts as the rarest, so words weigh less and similarity more if they find little. `trust` is the factor of
 *   similarity: low if every term is rare and found, so that words decide.
 * - `chunk_parts`: the results of earlier stages, one row per chunk. They are aggregated instead of joined: the planner
 *   underestimates the rows of each stage and would choose nested loops.
 * - `chunk_scores`: coverage, the share of the best possible lexical score, and similarity.
 * - `ranked`: both combined, plus the share of speakers named in the query and the meeting's mean coverage, with all
 *   four components for explanations. Notes count less than the transcript. Rounded to a `real`: the last digits of a
 *   sum depend on the order of its rows, which would rank copies of a chunk differently from one call to the next.
 */
export const buildRanked = (similar: boolean): SQL => sql`
  best_possible as materialized (
    select sum(q.part * coalesce(r.rarity, ${buildInverseDocumentFrequency(sql`0`, sql`0`)})) * ${toSqlNumber(RANKING.k1 + 1)} as score,
      case when bool_and(coalesce(o.chunks <= ${toSqlNumber(RANKING.similarity.rare.share)} * t.chunks, false))
        then ${toSqlNumber(RANKING.similarity.rare.factor)} else 1 end as trust
    from query_terms q left join rarity r on r.term = q.term left join occurrences o on o.term = q.term cross join totals t
  ), chunk_parts as (${selectChunkParts(similar)}
  ), chunk_scores as (
    select p.document, p.chunk, c.size, p.speaker,
      case when p.words > 0 then (p.words + coalesce(p.phrases, 0)) / b.score else 0 end as coverage,
      ${similar ? SCALED : sql`0`} as similarity, p.similarity is not null as "isCompared", b.trust
    from chunk_parts p join shortlist c on c.document = p.document cross join best_possible b
    where p.words > 0 or p.similarity is not null
  ), ranked as (
    select document, chunk, coverage, similarity, "isCompared", speaker, meeting,
      (((coverage + trust * similarity) * (1 + ${toSqlNumber(RANKING.speaker.weight)} * speaker) + ${toSqlNumber(RANKING.meeting)} * meeting)
      * case when chunk < ${toSqlNumber(NOTES_FROM)} then 1 else ${toSqlNumber(RANKING.notes.weight)} end)::real as score
    from (
      select document, chunk, coverage, similarity, "isCompared", trust, coalesce(speaker, 0) as speaker,
        sum(coverage) over meeting / max(size) over meeting as meeting
      from chunk_scores
      window meeting as (partition by document)
    ) p
    order by score desc, document, chunk
    limit ${toSqlNumber(LIMITS.searchResults)}
  )`;

/**
 * Similarity in units of coverage; unrelated chunks have 0. A meeting without vectors is assumed to have the average
 * similarity.
 */
const SCALED = sql`coalesce(
  ${toSqlNumber(RANKING.similarity.weight)} * ${parameters.weight} * (coalesce(p.similarity, avg(p.similarity) over ()) - ${parameters.unrelated}), 0)`;

const selectChunkParts = (similar: boolean): SQL => sql`
    select document, chunk, sum(words) as words, sum(phrases) as phrases, sum(speaker) as speaker, sum(similarity) as similarity
    from (
      select document, chunk, score as words, null::float8 as phrases, null::float8 as speaker, null::float8 as similarity
      from word_scores join shortlist using (document)
      union all
      select document, chunk, null, score, null, null from phrase_scores
      union all
      select document, chunk, null, null, share, null from speaker_shares${
        similar
          ? sql`
      union all
      select document, chunk, null, null, null, similarity from similarities`
          : sql``
      }
    ) part
    group by document, chunk`;
