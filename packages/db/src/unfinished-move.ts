import { sql } from "drizzle-orm";
import type { Database } from "./database.js";

/** The table that `minutes move` creates in its destination first and drops last. @see docs/decisions/0195-moving-to-another-engine.md */
export const MOVE_TABLE = "unfinished_move";

/** The database holds a part of an installation: a move to it was interrupted, or is under way. */
export class UnfinishedMoveError extends Error {
  override name = "UnfinishedMoveError";
  constructor() {
    super(
      "This database holds a part of an installation: a move to it is under way or was interrupted. " +
        "Repeat `pnpm minutes move` with the settings of the installation that it moves, until it says that the move is complete.",
    );
  }
}

/** Returns whether a move to this database began and did not end. */
export async function isMoveUnfinished(db: Pick<Database, "select">): Promise<boolean> {
  const [row] = await db
    .select({ has: sql<boolean>`to_regclass('public.' || ${MOVE_TABLE}::text) is not null` })
    .from(sql`(values (1)) one`);
  return row?.has === true;
}

/** Requires that no move to this database is unfinished. @throws UnfinishedMoveError */
export async function requireNoUnfinishedMove(db: Pick<Database, "select">): Promise<void> {
  if (await isMoveUnfinished(db)) throw new UnfinishedMoveError();
}
