import { sql } from "drizzle-orm";

/** The parameters of a search as placeholders: the text is the same for every search of one kind. */
export const parameters = {
  query: sql.placeholder("query"),
  /** Instants; null if the search has no such bound. */
  startDate: sql.placeholder("startDate"),
  endDate: sql.placeholder("endDate"),
  /** The space of `vector`. Vectors of other spaces are not compared with it. */
  space: sql.placeholder("space"),
  /** The model's `SimilarityScale`. */
  unrelated: sql`${sql.placeholder("unrelated")}::float8`,
  weight: sql`${sql.placeholder("weight")}::float8`,
  vector: sql`${sql.placeholder("vector")}::search_vector`,
  /** A JSON array of `Expansion`. */
  expansions: sql`${sql.placeholder("expansions")}::json`,
};
