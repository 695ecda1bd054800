import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  connectPostgres,
  ExplainedError,
  explainUnusable,
  getSchemaState,
  hasSchema,
  MovedError,
  requireNoUnfinishedRestore,
} from "@minutes/db";
import { toCommand, toOperatorCommand } from "../../config/command.js";
import { type Config, describeData } from "../../config/config.js";
import type { OpenDatabase, OpenOptions } from "../../operations/installation.js";
import { openDatabase, toPostgresOptions } from "../../operations/open-database.js";
import { note } from "../cli/output.js";

/**
 * Opens the database for calls. Creates none: a command in the wrong folder would otherwise start a second database. One
 * that was moved is opened as it is, for calls that read, which an older schema doesn't answer.
 * @throws ExplainedError if there is none, MovedError for one with an older schema; otherwise as `openDatabase`
 */
export async function openForCalls(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  if (!(await hasDatabase(config)))
    throw new ExplainedError(
      config.DATABASE_URL === undefined
        ? `There is no database in ${describeData(config)}. Set DATA_DIR to the directory of your data, or DATABASE_URL if they are in PostgreSQL, or create a database: ${toOperatorCommand(config)} migrate`
        : `The ${describeData(config)} contains no Minutes data. Correct DATABASE_URL, or create the tables: ${toCommand(config)} migrate`,
    );
  const pool = { poolSize: 2, onWait: note, ...options };
  try {
    return await openDatabase(config, pool);
  } catch (moved) {
    if (!(moved instanceof MovedError)) throw moved;
    const database = await openDatabase(config, { ...pool, migrate: false });
    if ((await getSchemaState(database.db)) === "current") return { ...database, moved };
    await database.close();
    throw moved;
  }
}

/**
 * Creates the configured database, or updates its schema.
 * @returns true if it was created
 */
export async function createOrMigrate(config: Config): Promise<boolean> {
  const existed = await hasDatabase(config);
  const database = await openDatabase(config, { poolSize: 1, onWait: note });
  await database.close();
  return !existed;
}

/**
 * Returns true if the configured database exists and, on PostgreSQL, has tables of Minutes.
 * @throws ExplainedError for a directory that can't be used, or has an unfinished restore
 */
export async function hasDatabase(config: Config): Promise<boolean> {
  if (config.DATABASE_URL === undefined) {
    const dataDir = resolve(config.DATA_DIR);
    const found = await stat(join(dataDir, "db")).catch((error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" ? null : explainUnusable("DATA_DIR", dataDir)(error),
    );
    if (found === null) requireNoUnfinishedRestore(dataDir);
    return found !== null;
  }
  const connection = await connectPostgres({
    ...toPostgresOptions(config, config.DATABASE_URL),
    poolSize: 1,
    migrate: false,
  });
  try {
    return await hasSchema(connection.db);
  } finally {
    await connection.close();
  }
}
