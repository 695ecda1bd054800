import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { parameters } from "./parameters.js";

const { space, vector } = parameters;

/**
 * Selects how near each chunk of documents is to the query, by its nearest window.
 * @param comparison how the number of visible chunks has to compare with the limit; otherwise nothing is selected
 */
export const selectNearWindows = (documents: SQL, comparison: "<=" | ">"): SQL => sql`
    select o.documents[s.nth] as document, o.language, o.sizes[s.nth] as size, s.chunk::int as chunk, s.similarity
    from (
      select language, array_agg(document) as documents, array_agg(chunks::int) as sizes from ${documents} d
      where space = ${space} and (select chunks from totals) ${sql.raw(comparison)} ${toSqlNumber(RANKING.similarity.searched)}
      group by language
    ) o
    cross join lateral find_similarities(o.documents, ${vector}) s`;
