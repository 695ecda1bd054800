import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { foldAccents } from "../fold-accents.js";
import { RANKING } from "../ranking.js";
import { parameters } from "./parameters.js";

/**
 * Lexemes used to ask about anything: "Summarize the discussion about …", "What did the group think of …". They don't
 * identify an answer and count only if the query has no other words. By text-search configuration; in a language
 * without a list all words count.
 */
export const QUESTION_WORDS: Readonly<Record<string, readonly string[]>> = {
  english:
    "answer ask attitud comment conclud conclus decid decis describ descript discuss discussion elabor explain express group introduc member mention opinion respond respons said say state suggest summar summari talk team tell think thought view want accord concern regard relat".split(
      " ",
    ),
};

/** Words after which a question names the occasion: "What did she say about costs when they discussed the schedule?" */
const OCCASION_WORDS: Readonly<Record<string, readonly string[]>> = { english: ["when", "while"] };

const { expansions, query } = parameters;

const selectByLanguage = (lists: Readonly<Record<string, readonly string[]>>): SQL =>
  sql.raw(
    `case language ${Object.entries(lists)
      .map(([language, words]) => `when '${language}' then '{${words.join()}}'::text[]`)
      .join(" ")} else '{}'::text[] end`,
  );
const questionWords = selectByLanguage(QUESTION_WORDS);

/**
 * Stage 2: the query's lexemes in each language of the visible meetings.
 *
 * - `query_words`: every lexeme and its position.
 * - `spelled_words`: the same with accents, which meetings have that were indexed before version 4.
 * - `counted_words`: the lexemes that count: no question words, unless there are no others. Of a query with more than
 *   `RANKING.terms`, the longest, which are rarer.
 * - `query_terms`: each counted term with a number and its share of the score, reduced if it only names the occasion.
 *   Occasion words are stop words; `simple` keeps them, at the same positions.
 * - `search_terms`: the terms to look up: each query term, and in English its expansions with lower weights. The more
 *   meetings are visible, the fewer expansions, because each is looked up in each meeting.
 * - `language_terms`: the terms to look up in each language as one array, and the query's own as another.
 */
export const queryTerms = sql`
  query_words as materialized (
    select g.language, w.lexeme as term, place
    from (select distinct language from visible) g
    cross join lateral unnest(to_tsvector(g.language::regconfig, ${foldAccents(sql`${query}::text`, sql`g.language`)})) w
    cross join lateral unnest(w.positions) place
  ), spelled_words as materialized (
    select g.language, w.lexeme as term, place
    from (select distinct language from visible) g
    cross join lateral unnest(to_tsvector(g.language::regconfig, ${query})) w
    cross join lateral unnest(w.positions) place
  ), counted_words as materialized (
    select language, term, place from (
      select *, dense_rank() over (partition by language order by length(term) desc, term) as nth from (
        select language, term, place from query_words where term <> all (${questionWords})
        union all
        select language, term, place from query_words q
        where not exists (select from query_words where language = q.language and term <> all (${questionWords}))
      ) w
    ) w where nth <= ${toSqlNumber(RANKING.terms)}
  ), query_terms as materialized (
    select term, row_number() over (order by term)::int as nth, max(case when place > occasion then ${toSqlNumber(RANKING.occasion)} else 1 end) as part
    from counted_words
    left join (
      select language, min(place) as occasion
      from (select distinct language from visible) g
      cross join unnest(to_tsvector('simple', ${foldAccents(sql`${query}::text`, sql`language`)})) w
      cross join lateral unnest(w.positions) place
      where w.lexeme = any (${selectByLanguage(OCCASION_WORDS)})
      group by language
    ) o using (language)
    group by term
  ), search_terms as materialized (
    select distinct language, term, term as match, 1::float8 as weight from counted_words
    union all
    select distinct language, c.term, s.term, 1 from counted_words c join spelled_words s using (language, place) where s.term <> c.term
    union all
    (
      select c.language, c.term, e.expansion, ${toSqlNumber(RANKING.expansion.weight)} * e.weight
      from (select distinct language, term from counted_words) c
      join json_to_recordset(${expansions}) e (term text, expansion text, weight float8) on e.term = c.term
      where c.language = 'english' and e.expansion <> all (select term from counted_words)
      order by e.weight desc, c.term, e.expansion
      limit (select ${toSqlNumber(RANKING.expansion.lookups)} / greatest(1, count(*)) from visible)
    )
  ), language_terms as materialized (
    select language, array_agg(distinct match) as terms, array_agg(distinct term) as own
    from search_terms group by language
  )`;
