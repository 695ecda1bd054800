import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { SearchScope } from "../scope.js";
import { buildRanked } from "./fusion.js";
import { phrases } from "./phrases.js";
import { queryTerms } from "./query-terms.js";
import { buildShortlist } from "./shortlist.js";
import { similarities } from "./similarities.js";
import { speakers } from "./speakers.js";
import { termMatches } from "./term-matches.js";
import { buildVisible } from "./visible-documents.js";
import { wordScores } from "./word-scores.js";

const { meetings, participants, searchChunks, searchDocuments, transcriptSegments } = schema;

/** What a search statement does besides searching by words. */
export interface StatementParts {
  /** False leaves vectors out: a statement without them needs no pgvector. */
  readonly similar: boolean;
  /** True adds each chunk's segments, with speakers and times. */
  readonly segments?: boolean;
}

/**
 * Builds the one statement of a search (docs/decisions/0050-lexical-search.md). Each stage has a file of its own and
 * is a common table expression that later stages read; the last step fetches the texts of the best 40 chunks.
 *
 * `offset 0` in a lookup keeps PostgreSQL from turning it into a join, which it might begin at the wrong end: every
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
      wordScores,
      buildShortlist(similar),
      ...(similar ? [similarities] : []),
      phrases,
      speakers,
      buildRanked(similar),
    ],
    sql`, `,
  )}
  select c.text, m.id as "meetingId", c.position, m.title as "meetingTitle", m.start_time as "startTime",
    r.score, r.coverage, r.similarity, r.speaker::float8 as speaker, r.meeting${segments ? sql`, ${selectSegments}` : sql``}
  from ranked r
  join ${searchDocuments} d on d.document = r.document
  join ${meetings} m on m.id = d.meeting_id
  join ${searchChunks} c on c.meeting_id = d.meeting_id and c.position = r.chunk
  order by r.score desc, m.start_time desc, m.id, c.position`;

/** Selects the segments of a chunk `c` as one JSON list; empty for a chunk that was indexed before they were kept. */
const selectSegments = sql`coalesce((
    select json_agg(json_build_object('position', s.position, 'speakerName', p.name, 'startSeconds', s.start_seconds,
      'endSeconds', s.end_seconds) order by s.position)
    from ${transcriptSegments} s join ${participants} p on p.meeting_id = s.meeting_id and p.id = s.speaker_id
    where s.meeting_id = c.meeting_id and s.position between c.first_turn and c.last_turn), '[]') as segments`;
