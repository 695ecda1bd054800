import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { selectNearWindows } from "./near-windows.js";

/**
 * Builds stage 4: the meetings whose chunks are scored.
 *
 * - `near_windows`: the similarity of each chunk of all visible meetings to the query, by its nearest window; empty if
 *   there are too many visible chunks.
 * - `near_meetings`: the meetings with the nearest chunks.
 * - `candidates`: the word candidates and the near meetings.
 */
export const buildCandidates = (similar: boolean): SQL => {
  if (!similar) return sql`candidates as materialized (select * from word_candidates)`;
  return sql`
  near_windows as materialized (${selectNearWindows(sql`visible`, "<=")}
  ), near_meetings as materialized (
    select document, language, size from near_windows
    group by document, language, size
    order by max(similarity) desc, document
    limit ${toSqlNumber(RANKING.similarity.close)}
  ), candidates as materialized (select * from word_candidates union select * from near_meetings)`;
};
