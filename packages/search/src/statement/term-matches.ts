import { schema, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";

const { searchPostings } = schema;

/**
 * Builds the rarity of a term as BM25 does, by the number of chunks that have it among those of `totals t`; and, with less
 * weight, by the number of meetings.
 */
export const buildInverseDocumentFrequency = (chunks: SQL, meetings: SQL): SQL => sql`(
  ln(1 + (t.chunks - ${chunks} + 0.5) / (${chunks} + 0.5)::float8)
  + ${toSqlNumber(RANKING.meetingRarity)} * ln(1 + (t.meetings - ${meetings} + 0.5) / (${meetings} + 0.5)::float8))`;

/**
 * Builds a join from the documents `o` of a row source, which has document and language, to their postings `p`.
 * @param terms `own` for the query's own terms, `terms` for their expansions too
 */
export const joinPostings = (documents: SQL, terms: "own" | "terms" = "terms"): SQL => sql`
  ${documents} o join language_terms q on q.language = o.language
  cross join lateral (
    select * from ${searchPostings} where document = o.document and term = any (q.${sql.raw(terms)}) offset 0
  ) p`;

/**
 * Stage 3: where the terms are.
 *
 * - `term_matches`: each visible document that has a term, with the term's weights there. They are read here for all
 *   documents, because to look the candidates' up again costs more than to keep them.
 * - `rarity`: how much a term tells: its rarity among the visible chunks, and some of that among the visible meetings.
 * - `gains`: what one unit of a stored weight adds to the score of a query's term.
 * - `candidates`: the documents whose best chunk could score highest (bound: sum of best weight × gain).
 */
export const termMatches = sql`
  term_matches as materialized (
    select o.document, o.language, o.chunks as size, p.term, p.chunks, p.best, p.first, p.weights
    from ${joinPostings(sql`visible`)}
  ), totals as materialized (
    select sum(chunks)::float8 as chunks, count(*)::float8 as meetings from visible
  ), rarity as materialized (
    select h.term, ${buildInverseDocumentFrequency(sql`sum(h.chunks)`, sql`count(*)`)} as rarity
    from term_matches h cross join totals t
    group by h.term, t.chunks, t.meetings
  ), gains as materialized (
    select s.term, s.match, max(q.part * s.weight * r.rarity) as gain
    from search_terms s
    join query_terms q on q.term = s.term
    join rarity r on r.term = s.match
    group by s.term, s.match
  ), candidates as materialized (
    select document, language, size
    from (
      select h.document, h.language, h.size, max(h.best * g.gain) as bound
      from term_matches h join gains g on g.match = h.term
      group by h.document, h.language, h.size, g.term
    ) b
    group by document, language, size
    order by sum(bound) desc, document
    limit ${toSqlNumber(RANKING.meetings.scored)}
  )`;
