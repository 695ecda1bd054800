import { toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { RANKING } from "../ranking.js";
import { parameters } from "./parameters.js";

const { space, vector } = parameters;

/**
 * Selects the similarity of each chunk of documents to the query, by its nearest window.
 * @param comparison compares the number of visible chunks with the limit; if false, nothing is selected
 */
export const selectNearWindows = (documents: SQL, comparison: "<=" | ">"): SQL => sql`
    select o.documents[s.nth] as document, o.language, o.sizes[s.nth] as size, s.chunk::int as chunk, s.similarity
    from (
      select language, array_agg(document) as documents, array_agg(chunks::int) as sizes from ${documents} d
      where space = ${space} and (select chunks from totals) ${sql.raw(comparison)} ${toSqlNumber(RANKING.similarity.searched)}
      group by language
    ) o
    cross join lateral find_similarities(o.documents, ${vector}) s`;
