import { LIMITS } from "@minutes/contract";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { type Influence, literal } from "./parameters.js";

/**
 * Stage 9, `ranked`: the final score of each chunk: words with phrases, joined with similarity, raised by its
 * speakers, and by the mean of its meeting. The best 40.
 */
export const ranked = (influence: Influence | null): SQL => sql`
  ranked as (
    select f.document, f.chunk, f.score * (1 + ${literal(RANKING.speaker.weight)} * coalesce(k.share, 0))
      + ${literal(RANKING.meeting)} * coalesce(sum(f.words) over meeting / max(f.size) over meeting, 0) as score
    from (${fused(influence)}) f
    left join speaker_shares k on k.document = f.document and k.chunk = f.chunk
    window meeting as (partition by f.document)
    order by score desc, document, chunk
    limit ${literal(LIMITS.searchResults)}
  )`;

/** The score of each chunk before people and meetings count: of its words alone, or of both kinds brought to one scale. */
const fused = (influence: Influence | null): SQL => {
  const words = sql`
    select s.document, s.chunk, c.size, s.score + coalesce(p.score, 0) as words
    from word_scores s
    join shortlist c on c.document = s.document
    left join phrase_scores p on p.document = s.document and p.chunk = s.chunk
    where s.score > 0`;
  if (!influence) return sql`select document, chunk, size, words, words as score from (${words}) w`;
  const { share, finds } = influence;
  return sql`
    select document, chunk, size, words, ${literal(1 - share)} * words + ${literal(share)} * coalesce(
      (similarity - min(similarity) over ()) / nullif(max(similarity) over () - min(similarity) over (), 0), words) as score
    from (
      select document, chunk, size, similarity, coalesce(words / nullif(max(words) over (), 0), 0) as words
      from (${words}) w ${sql.raw(finds ? "full" : "left")} join similarities using (document, chunk)
    ) w`;
};
