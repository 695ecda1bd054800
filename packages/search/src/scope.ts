import type { SQL } from "drizzle-orm";

/** The meetings a search can read. The caller decides access; search reads rows only through this scope. */
export interface SearchScope {
  /** Part of a prepared statement's name. The text of `meetings` depends only on it, never on the caller. */
  readonly name: string;
  /** Values of the placeholders in `meetings`; `caller` is the user's id. */
  readonly values: Readonly<Record<string, string>>;
  /**
   * Builds the query for the ids of meetings whose start time meets a condition.
   * @param inRange builds the condition from the start time column
   */
  readonly meetings: (inRange: (startTime: SQL) => SQL) => SQL;
}
