import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { literal } from "./parameters.js";

const { searchPostings } = schema;

/** The postings `p` of the query's terms in the documents `o` of a row source, which has document and language. */
export const postingsIn = (documents: SQL): SQL => sql`
  ${documents} o join language_terms q on q.language = o.language
  cross join lateral (
    select * from ${searchPostings} where document = o.document and term = any (q.terms) offset 0
  ) p`;

/**
 * Stage 3: where the terms are.
 *
 * - `matches`: each visible document that has a term, with the term's best weight there.
 * - `rarity`: how much a term tells: its rarity among the visible chunks, and some of that among the visible meetings.
 * - `candidates`: the documents whose best chunk could score highest (bound: sum of best weight × rarity).
 */
export const matches = sql`
  matches as materialized (
    select o.document, o.language, o.chunks as size, p.term, p.chunks, p.best from ${postingsIn(sql`visible`)}
  ), rarity as materialized (
    select h.term, a.part * (
      ln(1 + (t.chunks - sum(h.chunks) + 0.5) / (sum(h.chunks) + 0.5)::float8)
      + ${literal(RANKING.meetingRarity)} * ln(1 + (t.meetings - count(*) + 0.5) / (count(*) + 0.5)::float8)) as rarity
    from matches h
    join query_terms a on a.term = h.term
    cross join (select sum(chunks)::float8 as chunks, count(*)::float8 as meetings from visible) t
    group by h.term, a.part, t.chunks, t.meetings
  ), candidates as materialized (
    select h.document, h.language, h.size
    from matches h join rarity r on r.term = h.term
    group by h.document, h.language, h.size
    order by sum(h.best * r.rarity) desc, h.document
    limit ${literal(RANKING.meetings.scored)}
  )`;
