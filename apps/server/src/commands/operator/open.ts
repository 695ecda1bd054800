import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { connectPostgres, ExplainedError, hasSchema, requireNoUnfinishedRestore } from "@minutes/db";
import type { Config } from "../../config/config.js";
import type { OpenDatabase, OpenOptions } from "../../operations/installation.js";
import { openDatabase, toPostgresOptions } from "../../operations/open-database.js";

/** Procedures that can create an installation. All others need an existing database. */
const CREATING: ReadonlySet<string> = new Set([
  "users.create",
  "workspaces.create",
  "demo.load",
  "restore.record",
]);

/**
 * Opens the database for a call of this procedure.
 * @throws ExplainedError if there is none and the procedure can't create one; otherwise as `openDatabase`
 */
export async function openForCall(config: Config, options: OpenOptions, path: string): Promise<OpenDatabase> {
  if (!CREATING.has(path)) await requireDatabase(config);
  return openDatabase(config, { poolSize: 2, ...options });
}

async function requireDatabase(config: Config): Promise<void> {
  if (config.DATABASE_URL === undefined) {
    const dataDir = resolve(config.DATA_DIR);
    if (existsSync(join(dataDir, "db"))) return;
    requireNoUnfinishedRestore(dataDir);
    throw new ExplainedError(
      `There is no database in ${dataDir}. Set DATA_DIR to the directory of your data, or start the server to create one.`,
    );
  }
  const connection = await connectPostgres({
    ...toPostgresOptions(config, config.DATABASE_URL),
    poolSize: 1,
    migrate: false,
  });
  try {
    if (await hasSchema(connection.db)) return;
  } finally {
    await connection.close();
  }
  throw new ExplainedError(
    "The database in DATABASE_URL contains no Minutes data. Start the server to create its tables.",
  );
}
