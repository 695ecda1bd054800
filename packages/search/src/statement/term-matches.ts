import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { MAX_WEIGHT, NOTES_FROM, RANKING, WEIGHT_STEPS } from "../ranking.js";

/**
 * Builds a term's inverse document frequency as in BM25, by the number of chunks that contain it among those of `totals
 * t`, plus a smaller part by the number of meetings.
 */
export const buildInverseDocumentFrequency = (chunks: SQL, meetings: SQL): SQL => sql`(
  ln(1 + (t.chunks - ${chunks} + 0.5) / (${chunks} + 0.5)::float8)
  + ${toSqlNumber(RANKING.meetingRarity)} * ln(1 + (t.meetings - ${meetings} + 0.5) / (${meetings} + 0.5)::float8))`;

/**
 * Builds a join from a row source with document, language and size to the documents' postings `p`. The documents of a
 * language `q` are arrays in `o`, and `p.nth` is a posting's index in them: joining again could make the planner choose
 * nested loops.
 * @param terms `own` for the query's own terms, `terms` to include their expansions
 */
export const joinPostings = (documents: SQL, terms: "own" | "terms" = "terms"): SQL => sql`
  language_terms q
  cross join lateral (
    select array_agg(d.document) as documents, array_agg(d.size::int) as sizes
    from ${documents} d where d.language = q.language
  ) o
  cross join lateral find_postings(o.documents, q.${sql.raw(terms)}) p`;

const isSaid = sql`first < ${toSqlNumber(NOTES_FROM)}`;

/**
 * Stage 3: occurrences of the terms.
 *
 * - `term_matches`: each visible document that contains a term, with the term's weights. Read here for all documents,
 *   because looking up the candidates again costs more than keeping them.
 * - `occurrences`: the numbers of chunks and meetings with a term: of transcripts, or of notes if nobody says it. So notes
 *   don't change how transcripts rank.
 * - `rarity`: how specific a term is: its rarity among the visible chunks, and partly among the visible meetings.
 * - `gains`: how much one unit of a stored weight adds to the score of a query term.
 * - `word_candidates`: the documents whose best chunk could score highest (upper bound: sum of best weight × gain).
 */
export const termMatches = sql`
  term_matches as materialized (
    select o.documents[p.nth] as document, q.language, o.sizes[p.nth] as size,
      p.term collate "C" as term, p.chunks, p.best, p.first, p.weights
    from ${joinPostings(sql`(select document, language, chunks as size from visible)`)}
  ), totals as materialized (
    select coalesce(sum(chunks), 0)::float8 as chunks, count(*)::float8 as meetings from visible where first_chunk = 0
  ), occurrences as materialized (
    select term, coalesce(sum(chunks) filter (where ${isSaid}), sum(chunks)) as chunks,
      coalesce(nullif(count(*) filter (where ${isSaid}), 0), count(*)) as meetings
    from term_matches group by term
  ), rarity as materialized (
    select o.term, ${buildInverseDocumentFrequency(sql`o.chunks`, sql`o.meetings`)} as rarity
    from occurrences o cross join (
      select greatest(t.chunks, max(o.chunks)) as chunks, greatest(t.meetings, max(o.meetings)) as meetings
      from totals t cross join occurrences o group by t.chunks, t.meetings
    ) t
  ), gains as materialized (
    select q.nth, s.match, max(q.part * s.weight * r.rarity) as gain
    from search_terms s
    join query_terms q on q.term = s.term
    join rarity r on r.term = s.match
    group by q.nth, s.match
  ), word_candidates as materialized (
    select document, language, size
    from (
      select h.document, h.language, h.size, max(h.best * g.gain) as bound
      from term_matches h join gains g on g.match = h.term
      group by h.document, h.language, h.size, g.nth
    ) b
    group by document, language, size
    order by sum(bound) desc, document
    limit ${toSqlNumber(RANKING.meetings.scored)}
  )`;

/** The value of one step of a stored weight. */
const step = toSqlNumber(MAX_WEIGHT / WEIGHT_STEPS);

/** Number of weights that are skipped at once if all are 0. */
const BLOCK = 16;
const block = toSqlNumber(BLOCK);
const emptyBlock = sql.raw(`'\\x${"00".repeat(BLOCK)}'::bytea`);

/**
 * Stage 5, `word_scores`: the BM25 score of each chunk of the candidates: stored weight × gain, summed over the query's
 * terms. Chunks without any have none: in a long meeting, a rare term weighs in few of those between its first and its last,
 * so blocks without a weight are skipped. Only the best of a term and its expansions counts, so many weak ones don't add up.
 * Groups use numbers, which hash faster than terms. Weights are unpacked in a select list: in a join, PostgreSQL would first
 * cache the bytes, which takes twice as long.
 */
export const wordScores = sql`
  word_scores as materialized (
    select document, chunk, sum(score) * ${step} as score
    from (
      select document, first + at as chunk, nth, max(gain * get_byte(weights, at)) as score
      from (
        select document, first + start as first, nth, gain, weights, generate_series(0, octet_length(weights) - 1) as at
        from (
          select document, first, nth, gain, start, substring(weights from start + 1 for ${block}) as weights
          from (
            select h.document, h.first, h.weights, g.nth, g.gain, generate_series(0, octet_length(h.weights) - 1, ${block}) as start
            from term_matches h join candidates c on c.document = h.document join gains g on g.match = h.term
          ) b
          offset 0
        ) b
        where weights <> substring(${emptyBlock} for octet_length(weights))
      ) w
      where get_byte(weights, at) > 0
      group by document, first + at, nth
    ) t
    group by document, chunk
  )`;
