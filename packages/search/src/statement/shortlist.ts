import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { selectNearWindows } from "./near-windows.js";

/**
 * Builds stage 6: the meetings for the expensive stages.
 *
 * - `word_shortlist`: the meetings with the best lexical chunks.
 * - `window_similarities`: the near windows; if there are too many visible chunks, those of the word shortlist.
 * - `shortlist`: the word shortlist and the near meetings.
 */
export const buildShortlist = (similar: boolean): SQL => {
  const byWords = sql`
    select s.document, c.language, c.size
    from word_scores s join candidates c on c.document = s.document
    group by s.document, c.language, c.size
    order by max(s.score) desc, s.document
    limit ${toSqlNumber(RANKING.meetings.close)}`;
  if (!similar) return sql`shortlist as materialized (${byWords})`;
  return sql`
  word_shortlist as materialized (${byWords}
  ), window_similarities as materialized (
    select * from near_windows
    union all
    (${selectNearWindows(sql`(select v.* from visible v join word_shortlist using (document))`, ">")})
  ), shortlist as materialized (select * from word_shortlist union select * from near_meetings)`;
};
