import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { selectNearWindows } from "./near-windows.js";

/**
 * Builds stage 6: the meetings that the costly stages look at.
 *
 * - `word_shortlist`: those with the best chunks by words.
 * - `window_similarities`: the near windows; where the visible meetings are too many, those of the word shortlist.
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
