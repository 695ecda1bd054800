import { sql } from "drizzle-orm";

/** The values of a search, as placeholders: the statement's text is the same for every search of one kind. */
export const parameters = {
  query: sql.placeholder("query"),
  /** Instants; null where the search has no such bound. */
  startDate: sql.placeholder("startDate"),
  endDate: sql.placeholder("endDate"),
  /** The space of `vector`; vectors of other spaces are not compared with it. */
  space: sql.placeholder("space"),
  vector: sql`${sql.placeholder("vector")}::search_vector`,
  /** A JSON array of `Expansion`. */
  expansions: sql`${sql.placeholder("expansions")}::json`,
};
