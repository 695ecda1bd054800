import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Connection,
  connectEmbedded,
  connectPostgres,
  type Database,
  ExplainedError,
  findMove,
  getSchemaState,
  isMoveUnfinished,
  lockDataDir,
  requireNoUnfinishedMove,
} from "@minutes/db";
import { sql } from "drizzle-orm";
import { describeData } from "../../config/config.js";
import { readRow } from "../archive/catalog.js";

/** Location of an installation: a PostgreSQL URL, or a directory. */
export type Place =
  | { readonly url: string; readonly dataDir: null }
  | { readonly url: null; readonly dataDir: string };

/** Parses a location from the command line or the settings. */
export const toPlace = (text: string): Place =>
  /^postgres(ql)?:\/\//.test(text) ? { url: text, dataDir: null } : { url: null, dataDir: resolve(text) };

/** Describes a location without user and password. */
export const describePlace = ({ url, dataDir }: Place): string =>
  describeData({ DATABASE_URL: url ?? undefined, DATA_DIR: dataDir ?? "" });

/** Time in ms for connections of a stopped server to disappear. */
const SESSIONS_TIMEOUT = 3_000;

/** An error of opening the destination, whose place is in no setting. */
export class DestinationError extends Error {
  override name = "DestinationError";
}

/** Opens a place with one connection while `work` runs; an embedded one is locked. */
async function withDatabase<Result>(
  place: Place,
  migrate: boolean,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const run = ({ db, close }: Connection) => work(db).finally(close);
  if (place.url !== null) return run(await connectPostgres({ url: place.url, poolSize: 1, migrate }));
  const lock = await lockDataDir(place.dataDir);
  try {
    return await run(await connectEmbedded({ dataDir: place.dataDir, migrate }));
  } finally {
    await lock.release();
  }
}

const hasDatabase = (place: Place) => place.url !== null || existsSync(join(place.dataDir, "db"));

/** Opens a place's database as it is and creates none. @throws ExplainedError if there is none */
export async function withExisting<Result>(
  place: Place,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  if (!hasDatabase(place)) throw new ExplainedError(`There is no database in ${place.dataDir}.`);
  return withDatabase(place, false, work);
}

/** Opens the destination's database as it is. Null if there is none. @throws DestinationError */
async function inspectDestination<Result>(
  place: Place,
  work: (db: Database) => Promise<Result>,
): Promise<Result | null> {
  if (!hasDatabase(place)) return null;
  return withDatabase(place, false, work).catch((cause: unknown) => {
    throw new DestinationError("The destination can't be opened.", { cause });
  });
}

/** Requires a source that was not moved, unless that move's last step at the same destination is missing. @throws MovedError */
async function requireNotMoved(source: Database, destination: Place): Promise<void> {
  const moved = await findMove(source);
  if (moved === null) return;
  const isSame = moved.place === describePlace(destination);
  if (!isSame || !(await inspectDestination(destination, isMoveUnfinished))) throw moved;
}

/** Counts the Minutes sessions on a PostgreSQL database, without this one. */
async function countSessions(db: Database): Promise<number> {
  const { sessions } = await readRow<{ sessions: string }>(
    db,
    sql`select count(*)::text as sessions from pg_stat_activity
      where datname = current_database() and application_name = 'minutes' and pid <> pg_backend_pid()`,
  );
  return Number(sessions);
}

/** Requires that no server uses a database. The embedded engine relies on its directory's lock. @throws ExplainedError */
async function requireUnused(db: Database, place: Place, what: string, advice: string): Promise<void> {
  if (place.url === null) return;
  const until = performance.now() + SESSIONS_TIMEOUT;
  let sessions = await countSessions(db);
  while (sessions > 0 && performance.now() < until) {
    await sleep(100);
    sessions = await countSessions(db);
  }
  if (sessions > 0)
    throw new ExplainedError(
      `Servers use the ${what}: ${sessions} sessions of Minutes are connected to it. ${advice}`,
    );
}

/**
 * Opens the installation to move. Its schema must be current, because a move does not change it.
 * @param destination where it may already be marked as moved to, if that move is unfinished
 * @param force true reads it even if servers are connected to it
 * @throws ExplainedError, MovedError, DestinationError, DataDirLockedError
 */
export async function withSource<Result>(
  place: Place,
  destination: Place,
  force: boolean,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  return withExisting(place, async (db) => {
    await requireNoUnfinishedMove(db);
    await requireNotMoved(db, destination);
    if ((await getSchemaState(db)) !== "current")
      throw new ExplainedError(
        "The source's schema differs from this version's. Run `pnpm minutes migrate` with the source's settings first.",
      );
    const advice = "Stop them first: changes made during the move would be lost.";
    if (!force) await requireUnused(db, place, "source", advice);
    return work(db);
  });
}

/**
 * Opens and migrates the database that receives the installation.
 * @param empty removes the remains of an interrupted move
 * @throws DestinationError with the cause if it can't be opened; SchemaNewerError
 */
export async function withDestination<Result>(
  place: Place,
  empty: (db: Database) => Promise<void>,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  await inspectDestination(place, async (db) => {
    await requireUnused(db, place, "destination", "Stop them first.");
    if (await isMoveUnfinished(db)) await empty(db);
  });
  return withDatabase(place, true, work);
}
