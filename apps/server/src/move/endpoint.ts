import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Connection,
  connectEmbedded,
  connectPostgres,
  type Database,
  getSchemaState,
  isMoveUnfinished,
  lockDataDir,
  UnfinishedMoveError,
} from "@minutes/db";
import { sql } from "drizzle-orm";
import { NoDatabaseError } from "../operator/open.js";
import { MoveError } from "./errors.js";
import { readRow } from "./rows.js";

/** Where an installation is, or will be: the address of a PostgreSQL database, or a directory. */
export type Place =
  | { readonly url: string; readonly dataDir: null }
  | { readonly url: null; readonly dataDir: string };

/** Reads a place from the command line or the settings. */
export const toPlace = (text: string): Place =>
  /^postgres(ql)?:\/\//.test(text) ? { url: text, dataDir: null } : { url: null, dataDir: resolve(text) };

/** An open database that a move reads or writes, with one connection. */
export interface Endpoint {
  readonly place: Place;
  readonly db: Database;
  close(): Promise<void>;
}

/** Milliseconds that the connections of a server that has just ended may take to disappear. */
const SESSIONS_TIMEOUT = 3_000;

/** Opens a place; an embedded one is locked. */
async function openEndpoint(place: Place, migrate: boolean): Promise<Endpoint> {
  if (place.url !== null) {
    const connection = await connectPostgres({ url: place.url, poolSize: 1, migrate });
    return { place, db: connection.db, close: () => connection.close() };
  }
  const { dataDir } = place;
  const lock = await lockDataDir(dataDir);
  let connection: Connection;
  try {
    connection = await connectEmbedded({ dataDir, migrate });
  } catch (error) {
    await lock.release();
    throw error;
  }
  const close = async () => {
    await connection.close();
    await lock.release();
  };
  return { place, db: connection.db, close };
}

/** Runs checks on an endpoint that has just been opened, and closes it when one fails. */
async function checked(endpoint: Endpoint, check: (db: Database) => Promise<void>): Promise<Endpoint> {
  try {
    await check(endpoint.db);
    return endpoint;
  } catch (error) {
    await endpoint.close();
    throw error;
  }
}

const hasDatabase = (place: Place) => place.url !== null || existsSync(join(place.dataDir, "db"));

/** Counts the sessions of Minutes on a PostgreSQL database, without this one. */
async function countSessions(db: Database): Promise<number> {
  const { sessions } = await readRow<{ sessions: string }>(
    db,
    sql`select count(*)::text as sessions from pg_stat_activity
      where datname = current_database() and application_name = 'minutes' and pid <> pg_backend_pid()`,
  );
  return Number(sessions);
}

/** Requires that no server uses a database. On the embedded engine the lock of its directory says so. @throws MoveError */
async function requireUnused(db: Database, place: Place, what: string, advice: string): Promise<void> {
  if (place.url === null) return;
  const until = performance.now() + SESSIONS_TIMEOUT;
  let sessions = await countSessions(db);
  while (sessions > 0 && performance.now() < until) {
    await sleep(100);
    sessions = await countSessions(db);
  }
  if (sessions > 0)
    throw new MoveError(
      `Servers use the ${what}: ${sessions} sessions of Minutes are connected to it. ${advice}`,
    );
}

/**
 * Opens the installation that is moved. Its schema has to be up to date, because a move changes nothing in it.
 * @param force reads it although servers are connected to it
 * @throws MoveError, NoDatabaseError, UnfinishedMoveError, DataDirLockedError
 */
export async function openSource(place: Place, force: boolean): Promise<Endpoint> {
  if (!hasDatabase(place)) throw new NoDatabaseError(`There is no database in ${place.dataDir}.`);
  return checked(await openEndpoint(place, false), async (db) => {
    if (await isMoveUnfinished(db)) throw new UnfinishedMoveError();
    if ((await getSchemaState(db)) !== "current")
      throw new MoveError(
        "The source's schema is not that of this version. Run `pnpm minutes migrate` with the source's settings first.",
      );
    const advice = "Stop them first: what they write from now on would be left behind.";
    if (!force) await requireUnused(db, place, "source", advice);
  });
}

/**
 * Opens the database that receives the installation, with its schema up to date.
 * @throws MoveError, DataDirLockedError, SchemaNewerError
 */
export async function openDestination(place: Place): Promise<Endpoint> {
  const advice = "Stop them first.";
  if (hasDatabase(place)) {
    const endpoint = await checked(await openEndpoint(place, false), (db) =>
      requireUnused(db, place, "destination", advice),
    );
    if (await isMoveUnfinished(endpoint.db)) return endpoint;
    await endpoint.close();
  }
  return openEndpoint(place, true);
}
