import { LIMITS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { holds, isHeld, linkRows, type Scope } from "../meetings/index.js";
import { literal } from "../paging.js";
import { MAX_WEIGHT, PLACES_PER_CHUNK, RANKING, WEIGHT_STEPS } from "./ranking.js";
import { OCCASION, SCAFFOLD } from "./scaffold.js";
import type { Embedder } from "./vectors/embedder.js";

const { meetings, searchChunks, searchDocuments, searchPostings, searchSpeakers } = schema;

const query = sql.placeholder("query");
const from = sql.placeholder("startDate");
const to = sql.placeholder("endDate");
const space = sql.placeholder("space");
const vector = sql`${sql.placeholder("vector")}::vector`;

/** How similarity takes part in the order; a statement without it needs no pgvector. */
export type Influence = Embedder["influence"];

/**
 * The one statement of a search (docs/decisions/0050). Its steps, each a named part:
 * what the caller may see · what is asked for · where its terms are, and how rare they are there · the meetings
 * that could have the best chunks · the scores of their chunks · phrases, speakers and what the meeting has on the
 * whole, for the few meetings that are left · the texts of the 40.
 *
 * `offset 0` keeps PostgreSQL from pulling a lookup up into a join, which it might then begin at the wrong end:
 * every lookup goes from one meeting to that meeting's rows.
 */
export const searchStatement = (scope: Scope, influence: Influence | null): SQL => sql`
  with ${visible(scope)}, ${asked}, ${found}, ${scored}, ${close(influence)}, ${phrases}, ${speaking},
  ${ranked(influence)}
  select c.text, m.id as "meetingId", c.position, m.title as "meetingTitle", m.start_time as "startTime",
    r.score
  from ranked r
  join ${searchDocuments} d on d.document = r.document
  join ${meetings} m on m.id = d.meeting_id
  join ${searchChunks} c on c.meeting_id = d.meeting_id and c.position = r.chunk
  order by r.score desc, m.start_time desc, m.id, c.position`;

/** Documents of the scope's meetings in the range: of every search the only source of rows. */
const visible = (scope: Scope): SQL => sql`
  visible as materialized (
    select d.document, d.chunks, d.language, d.space
    from (${sql.join(
      scope.sources.map((source) =>
        isHeld(source)
          ? sql`select m.id from ${meetings} m where ${holds(source, "m")} and ${inRange(sql`m.start_time`)}`
          : sql`select l.meeting_id from ${linkRows(source)} and ${inRange(sql`l.start_time`)}`,
      ),
      sql` union `,
    )}) m
    cross join lateral (
      select d.document, d.chunks, d.language, d.space from ${searchDocuments} d where d.meeting_id = m.id offset 0) d
  )`;

/** Without both dates, the last six months. */
const inRange = (startTime: SQL): SQL => sql`
  ${startTime} >= coalesce(${from}::timestamptz, case when ${to}::timestamptz is null
    then now() - interval '${literal(LIMITS.searchDefaultMonths)} months' else '-infinity' end)
  and ${startTime} <= coalesce(${to}::timestamptz, 'infinity')`;

const list = (lexemes: readonly string[]): string => `'{${lexemes.join()}}'::text[]`;
const byLanguage = (lists: Readonly<Record<string, readonly string[]>>): SQL =>
  sql.raw(
    `case language ${Object.entries(lists)
      .map(([language, words]) => `when '${language}' then ${list(words)}`)
      .join(" ")} else ${list([])} end`,
  );
const scaffold = byLanguage(SCAFFOLD);

/**
 * The query's lexemes in each language that visible meetings were read in, and those of them that count. Words of the
 * occasion are stop words, which `simple` keeps, at the same places.
 */
const asked = sql`
  said as materialized (
    select g.language, w.lexeme as term, place
    from (select distinct language from visible) g
    cross join lateral unnest(to_tsvector(g.language::regconfig, ${query})) w
    cross join lateral unnest(w.positions) place
  ), words as materialized (
    select language, term, place from said where term <> all (${scaffold})
    union all
    select language, term, place from said s
    where not exists (select from said where language = s.language and term <> all (${scaffold}))
  ), wanted as materialized (
    select language, array_agg(distinct term) as terms from words group by language
  ), telling as materialized (
    select term, max(case when place > occasion then ${literal(RANKING.occasion)} else 1 end) as part
    from words
    left join (
      select language, min(place) as occasion
      from (select distinct language from visible) g
      cross join unnest(to_tsvector('simple', ${query})) w
      cross join lateral unnest(w.positions) place
      where w.lexeme = any (${byLanguage(OCCASION)})
      group by language
    ) o using (language)
    group by term
  )`;

/** The rows of postings of the wanted terms in the rows of `of`, which has a document and its language. */
const postingsOf = (of: SQL): SQL => sql`
  ${of} o join wanted w on w.language = o.language
  cross join lateral (
    select * from ${searchPostings} where document = o.document and term = any (w.terms) offset 0
  ) p`;

const found = sql`
  hits as materialized (
    select o.document, o.language, o.chunks as size, p.term, p.chunks, p.best from ${postingsOf(sql`visible`)}
  ), rarity as materialized (
    select h.term, a.part * (
      ln(1 + (t.chunks - sum(h.chunks) + 0.5) / (sum(h.chunks) + 0.5)::float8)
      + ${literal(RANKING.meetingRarity)} * ln(1 + (t.meetings - count(*) + 0.5) / (count(*) + 0.5)::float8)) as rarity
    from hits h
    join telling a on a.term = h.term
    cross join (select sum(chunks)::float8 as chunks, count(*)::float8 as meetings from visible) t
    group by h.term, a.part, t.chunks, t.meetings
  ), likely as materialized (
    select h.document, h.language, h.size
    from hits h join rarity r on r.term = h.term
    group by h.document, h.language, h.size
    order by sum(h.best * r.rarity) desc, h.document
    limit ${literal(RANKING.meetings.scored)}
  )`;

/** One step of a weight, in the units of the formulas. */
const step = literal(MAX_WEIGHT / WEIGHT_STEPS);

const scored = sql`
  scored as materialized (
    select document, first + at as chunk, sum(rarity * get_byte(weights, at)) * ${step} as score
    from (
      select p.document, p.first, p.weights, r.rarity, generate_series(0, octet_length(p.weights) - 1) as at
      from ${postingsOf(sql`likely`)} join rarity r on r.term = p.term
    ) w
    group by document, first + at
  )`;

/** The meetings that are looked at closely: those of the best chunks by words, and where similarity finds, by it. */
const close = (influence: Influence | null): SQL => {
  const byWords = sql`
    select s.document, l.language, l.size
    from scored s join likely l on l.document = s.document
    group by s.document, l.language, l.size
    order by max(s.score) desc, s.document
    limit ${literal(RANKING.meetings.close)}`;
  if (!influence) return sql`close as materialized (${byWords})`;
  const bySimilarity = sql`
    select o.document, o.language, o.size
    from (
      select document, language, chunks as size from visible
      where space = ${space} and (select sum(chunks) from visible) <= ${literal(RANKING.similarity.searched)} offset 0
    ) o
    cross join lateral (
      select min(vector <=> ${vector}) as distance from search_vectors where document = o.document offset 0
    ) v
    order by v.distance, o.document
    limit ${literal(RANKING.similarity.close)}`;
  return sql`
  close as materialized (${influence.finds ? sql`(${byWords}) union (${bySimilarity})` : byWords}),
  alike as materialized (${similarities(influence)})`;
};

/** How near each chunk of the close meetings is to the query; where similarity finds, with its neighbours. */
const similarities = ({ finds }: Influence): SQL => {
  const similarity = finds
    ? sql`(similarity + 0.5 * coalesce(lag(similarity) over one, similarity)
        + 0.5 * coalesce(lead(similarity) over one, similarity)) / 2`
    : sql`similarity`;
  return sql`
    select document, chunk, ${similarity} as similarity
    from (
      select o.document, v.chunk, v.similarity
      from (select document from visible join close using (document) where space = ${space} offset 0) o
      cross join lateral (
        select chunk::int as chunk, 1 - (vector <=> ${vector}) as similarity from search_vectors
        where document = o.document offset 0
      ) v
    ) v
    window one as (partition by document order by chunk)`;
};

/** What reaches the chunks around, as rows of a distance and a factor. */
const spread = sql.raw(
  [
    ...RANKING.spread.onward.map((factor, distance) => `(${distance}, ${factor}::float8)`),
    ...RANKING.spread.back.slice(1).map((factor, nth) => `(${-1 - nth}, ${factor}::float8)`),
  ].join(),
);

/** Terms that follow each other in the query and, in that order and closely, in a chunk. */
const phrases = sql`
  pairs as materialized (
    select distinct language, former, latter
    from (
      select language, term as latter, lag(term) over (partition by language order by place, term) as former from words
    ) w
    where former <> latter
  ), near as (
    select document, language, term, place,
      lag(term) over one as term1, lag(place) over one as place1,
      lag(term, 2) over one as term2, lag(place, 2) over one as place2
    from (select o.document, o.language, p.term, unnest(p.places) as place from ${postingsOf(sql`close`)}) t
    window one as (partition by document order by place)
  ), phrases as (
    select distinct n.document, n.place / ${literal(PLACES_PER_CHUNK)} as chunk, p.former, p.latter
    from near n
    join pairs p on p.language = n.language and p.latter = n.term
      and (p.former = n.term1 and n.place - n.place1 <= ${literal(RANKING.phraseReach)}
        or p.former = n.term2 and n.place - n.place2 <= ${literal(RANKING.phraseReach)})
  ), phrased as materialized (
    select document, chunk, sum(rarity * count * ${literal(RANKING.k1 + 1)} / (count + ${literal(RANKING.k1)})) as score
    from (
      select p.document, p.chunk + s.distance as chunk, (f.rarity + l.rarity) / 2 as rarity, sum(s.factor) as count
      from phrases p
      join rarity f on f.term = p.former
      join rarity l on l.term = p.latter
      cross join (values ${spread}) s (distance, factor)
      group by p.document, p.chunk + s.distance, p.former, p.latter, f.rarity, l.rarity
    ) p
    group by document, chunk
  )`;

/** How much of a chunk is said by people whom the query names. */
const speaking = sql`
  speaking as materialized (
    select document, first + at as chunk,
      least(1, sum(named * get_byte(shares, at)) / ${literal(WEIGHT_STEPS)}) as share
    from (
      select s.document, s.first, s.shares, generate_series(0, octet_length(s.shares) - 1) as at,
        case when known = cardinality(s.name) then 1 else ${literal(RANKING.speaker.part)} end as named
      from close c
      join (select language, array_agg(term) as terms from said group by language) q on q.language = c.language
      cross join lateral (select * from ${searchSpeakers} where document = c.document offset 0) s
      cross join lateral (select count(*) as known from unnest(s.name) name where name = any (q.terms)) k
      where known >= ${literal(RANKING.speaker.least)} * cardinality(s.name)
    ) n
    group by document, first + at
  )`;

/** The score of each chunk before people and meetings count: of its words alone, or of both kinds brought to one scale. */
const fused = (influence: Influence | null): SQL => {
  const words = sql`
    select s.document, s.chunk, c.size, s.score + coalesce(p.score, 0) as words
    from scored s
    join close c on c.document = s.document
    left join phrased p on p.document = s.document and p.chunk = s.chunk
    where s.score > 0`;
  if (!influence) return sql`select document, chunk, size, words, words as score from (${words}) w`;
  const { share, finds } = influence;
  return sql`
    select document, chunk, size, words, ${literal(1 - share)} * words + ${literal(share)} * coalesce(
      (similarity - min(similarity) over ()) / nullif(max(similarity) over () - min(similarity) over (), 0), words) as score
    from (
      select document, chunk, size, similarity, coalesce(words / nullif(max(words) over (), 0), 0) as words
      from (${words}) w ${sql.raw(finds ? "full" : "left")} join alike using (document, chunk)
    ) w`;
};

const ranked = (influence: Influence | null): SQL => sql`
  ranked as (
    select f.document, f.chunk, f.score * (1 + ${literal(RANKING.speaker.weight)} * coalesce(k.share, 0))
      + ${literal(RANKING.meeting)} * coalesce(sum(f.words) over meeting / max(f.size) over meeting, 0) as score
    from (${fused(influence)}) f
    left join speaking k on k.document = f.document and k.chunk = f.chunk
    window meeting as (partition by f.document)
    order by score desc, document, chunk
    limit ${literal(LIMITS.searchResults)}
  )`;
