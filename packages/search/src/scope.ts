import type { SQL } from "drizzle-orm";

/**
 * Which meetings a search may read. The caller decides access; search takes its rows from here and from nowhere else.
 */
export interface SearchScope {
  /** Tells prepared statements apart. The text of `meetings` depends on this alone, never on the caller. */
  readonly name: string;
  /** Values of the placeholders in `meetings`; `caller` is the user's id. */
  readonly values: Readonly<Record<string, string>>;
  /**
   * A query for the ids of the meetings whose start time meets a condition.
   * @param inRange builds the condition from the column that has the start time
   */
  readonly meetings: (inRange: (startTime: SQL) => SQL) => SQL;
}
