import { LIMITS } from "@minutes/contract";
import { schema, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { SearchScope } from "../scope.js";
import { buildCandidates, buildShortlist } from "./candidates.js";
import { buildRanked } from "./fusion.js";
import { parameters } from "./parameters.js";
import { phrases } from "./phrases.js";
import { queryTerms } from "./query-terms.js";
import { similarities } from "./similarities.js";
import { speakers } from "./speakers.js";
import { termMatches, wordScores } from "./term-matches.js";

const { meetings, participants, searchDocuments } = schema;

const { startDate, endDate } = parameters;

/**
 * Builds stage 1, `visible`: the documents of the scope's meetings in the range. Every later stage reads only these.
 * Documents are looked up one by one (`offset 0`); otherwise the planner would scan those of all tenants.
 */
const buildVisible = (scope: SearchScope): SQL => sql`
  visible as materialized (
    select d.document, d.first_chunk, d.chunks, d.language, d.space
    from (${scope.meetings(isInRange)}) m (id)
    cross join lateral (
      select d.document, d.first_chunk, d.chunks, d.language, d.space from ${searchDocuments} d where d.meeting_id = m.id offset 0) d
  )`;

/** Builds the range condition. Without both dates: the last six months. */
const isInRange = (startTime: SQL): SQL => sql`
  ${startTime} >= coalesce(${startDate}::timestamptz, case when ${endDate}::timestamptz is null
    then now() - interval '${toSqlNumber(LIMITS.searchDefaultMonths)} months' else '-infinity' end)
  and ${startTime} <= coalesce(${endDate}::timestamptz, 'infinity')`;

/** Optional parts of a search statement. */
export interface StatementParts {
  /** False omits vectors: a statement without them does not need pgvector. */
  readonly similar: boolean;
  /** True adds each chunk's segments, with speakers and times. */
  readonly segments?: boolean;
}

/**
 * Builds the single statement of a search (docs/decisions/0050-word-search.md). Each stage is a
 * common table expression for later stages. The last step fetches the texts of the best 40 chunks.
 *
 * `offset 0` in a lookup prevents PostgreSQL from turning it into a join, which it might start at the wrong end: every
 * lookup goes from one meeting to that meeting's rows.
 */
export const buildSearchStatement = (
  scope: SearchScope,
  { similar, segments = false }: StatementParts,
): SQL => sql`
  with ${sql.join(
    [
      buildVisible(scope),
      queryTerms,
      termMatches,
      buildCandidates(similar),
      wordScores,
      buildShortlist(similar),
      ...(similar ? [similarities] : []),
      phrases,
      speakers,
      buildRanked(similar),
      found,
    ],
    sql`, `,
  )}
  select c.text, f.id as "meetingId", f.chunk as position, f.title as "meetingTitle", f.start_time as "startTime",
    f.score, f.coverage, f.similarity, f."isCompared", (select sum(chunks)::int from visible) as "visibleChunks", f.speaker::float8 as speaker, f.meeting${segments ? sql`, ${selectSegments}` : sql``}
  from (select array_agg(id order by nth) as meetings, array_agg(chunk order by nth) as positions from found) o
  cross join lateral find_chunks(o.meetings, o.positions) c
  join found f on f.nth = c.nth
  order by f.nth`;

/** Stage 11, `found`: the best chunks with their meetings and ranks. */
const found = sql`
  found as materialized (
    select row_number() over (order by r.score desc, m.start_time desc, m.id, r.chunk) as nth, r.*, m.id, m.title, m.start_time
    from ranked r
    join ${searchDocuments} d on d.document = r.document
    join ${meetings} m on m.id = d.meeting_id
  )`;

/** Selects the segments of chunk `c` of meeting `f` as a JSON list; empty for notes. */
const selectSegments = sql`coalesce((
    select json_agg(json_build_object('position', s.position, 'speakerName', p.name, 'startSeconds', s.start_seconds,
      'endSeconds', s.end_seconds) order by s.position)
    from read_segments_between(f.id, c.first_turn, c.last_turn) s
    join ${participants} p on p.meeting_id = f.id and p.id = s.speaker_id), '[]') as segments`;
