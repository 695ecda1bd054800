import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { SearchScope } from "../scope.js";
import { buildRanked } from "./fusion.js";
import { matches } from "./matches.js";
import { phrases } from "./phrases.js";
import { queryTerms } from "./query-terms.js";
import { buildShortlist } from "./shortlist.js";
import { similarities } from "./similarities.js";
import { speakers } from "./speakers.js";
import { buildVisible } from "./visible-documents.js";
import { wordScores } from "./word-scores.js";

const { meetings, searchChunks, searchDocuments } = schema;

/**
 * Builds the one statement of a search (docs/decisions/0050-lexical-search.md). Each stage has a file of its own and
 * is a common table expression that later stages read; the last step fetches the texts of the best 40 chunks.
 * @param similar false leaves vectors out: a statement without them needs no pgvector
 *
 * `offset 0` in a lookup keeps PostgreSQL from turning it into a join, which it might begin at the wrong end: every
 * lookup goes from one meeting to that meeting's rows.
 */
export const buildSearchStatement = (scope: SearchScope, similar: boolean): SQL => sql`
  with ${sql.join(
    [
      buildVisible(scope),
      queryTerms,
      matches,
      wordScores,
      buildShortlist(similar),
      ...(similar ? [similarities] : []),
      phrases,
      speakers,
      buildRanked(similar),
    ],
    sql`, `,
  )}
  select c.text, m.id as "meetingId", c.position, m.title as "meetingTitle", m.start_time as "startTime", r.score
  from ranked r
  join ${searchDocuments} d on d.document = r.document
  join ${meetings} m on m.id = d.meeting_id
  join ${searchChunks} c on c.meeting_id = d.meeting_id and c.position = r.chunk
  order by r.score desc, m.start_time desc, m.id, c.position`;
