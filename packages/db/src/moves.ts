import { sql } from "drizzle-orm";
import type { Database } from "./database.js";
import { ExplainedError } from "./faults.js";

/**
 * The table that `minutes move` creates first in its destination and drops last. @see
 * docs/decisions/0258-backups.md
 */
export const MOVE_TABLE = "unfinished_move";

/** The table that a complete move leaves in its source, with the place of the copy. */
export const MOVED_TABLE = "moved_away";

const movedTable = sql.identifier(MOVED_TABLE);

const UNFINISHED =
  "This database contains part of an installation: a move to it is in progress or was interrupted. " +
  "Run `pnpm minutes move` again with the settings of the source installation until it reports that the move is complete.";

/** Nothing is written to a database whose copy is in use: nobody would read it. */
export class MovedError extends ExplainedError {
  override name = "MovedError";
  constructor(readonly place: string) {
    super(
      `This installation was moved to ${place}. Use the settings of that one. ` +
        "To use this one again, run `minutes move --reopen` with its settings.",
    );
  }
}

const hasTable = async (db: Pick<Database, "select">, table: string): Promise<boolean> => {
  const [row] = await db
    .select({ has: sql<boolean>`to_regclass('public.' || ${table}::text) is not null` })
    .from(sql`(values (1)) one`);
  return row?.has === true;
};

/** Returns true if a move to this database has begun and not ended. */
export const isMoveUnfinished = (db: Pick<Database, "select">): Promise<boolean> => hasTable(db, MOVE_TABLE);

/** Requires that no move to this database is unfinished. @throws ExplainedError */
export async function requireNoUnfinishedMove(db: Pick<Database, "select">): Promise<void> {
  if (await isMoveUnfinished(db)) throw new ExplainedError(UNFINISHED);
}

/** Returns the error for a database that was moved; null for others. */
export async function findMove(db: Pick<Database, "select">): Promise<MovedError | null> {
  if (!(await hasTable(db, MOVED_TABLE))) return null;
  const [row] = await db.select({ place: sql<string>`place` }).from(sql`${movedTable}`);
  return new MovedError(row?.place ?? "another database");
}

/** Marks the source of a complete move. @param place the destination, without a password */
export const markMoved = (db: Database, place: string): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`drop table if exists ${movedTable}`);
    await tx.execute(sql`create table ${movedTable} (place text not null)`);
    await tx.execute(sql`insert into ${movedTable} (place) values (${place})`);
  });

/** Removes the mark, so that the source is used again. */
export const unmarkMoved = async (db: Database): Promise<void> => {
  await db.execute(sql`drop table if exists ${movedTable}`);
};
