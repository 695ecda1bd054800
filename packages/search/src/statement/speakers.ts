import { toSqlNumber } from "@minutes/db";
import { sql } from "drizzle-orm";
import { RANKING, WEIGHT_STEPS } from "../ranking.js";

/**
 * Stage 9, `speaker_shares`: the share of each shortlisted chunk said by people named in the query, from 0 to 1;
 * reduced if the query has only part of the name.
 */
export const speakers = sql`
  speaker_shares as materialized (
    select document, first + at as chunk,
      least(1, sum(named * get_byte(shares, at)) / ${toSqlNumber(WEIGHT_STEPS)}) as share
    from (
      select c.documents[s.nth] as document, s.first, s.shares, generate_series(0, octet_length(s.shares) - 1) as at,
        case when known = cardinality(s.name) then 1 else ${toSqlNumber(RANKING.speaker.part)} end as named
      from (select language, array_agg(document) as documents from shortlist group by language) c
      join (
        select language, array_agg(term) as terms
        from (select language, term from query_words union select language, term from spelled_words) w
        group by language
      ) q on q.language = c.language
      cross join lateral find_speakers(c.documents) s
      cross join lateral (select count(*) as known from unnest(s.name) name where name = any (q.terms)) k
      where known >= ${toSqlNumber(RANKING.speaker.least)} * cardinality(s.name)
    ) n
    group by document, first + at
  )`;
