import { sql } from "drizzle-orm";
import type { Database } from "./database.js";
import { ExplainedError } from "./explained-error.js";

/**
 * The table that `minutes move` creates first in its destination and drops last. @see
 * docs/decisions/0258-backups.md
 */
export const MOVE_TABLE = "unfinished_move";

const UNFINISHED =
  "This database contains part of an installation: a move to it is in progress or was interrupted. " +
  "Run `pnpm minutes move` again with the settings of the source installation until it reports that the move is complete.";

/** Returns true if a move to this database has begun and not ended. */
export async function isMoveUnfinished(db: Pick<Database, "select">): Promise<boolean> {
  const [row] = await db
    .select({ has: sql<boolean>`to_regclass('public.' || ${MOVE_TABLE}::text) is not null` })
    .from(sql`(values (1)) one`);
  return row?.has === true;
}

/** Requires that no move to this database is unfinished. @throws ExplainedError */
export async function requireNoUnfinishedMove(db: Pick<Database, "select">): Promise<void> {
  if (await isMoveUnfinished(db)) throw new ExplainedError(UNFINISHED);
}
