import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { connectPostgres, hasSchema } from "@minutes/db";
import type { Env } from "../env.js";
import { type OpenDatabase, type OpenOptions, openDatabase, toPostgresOptions } from "../open-database.js";

/** The settings lead to no database, and the command is not one that begins an installation. */
export class NoDatabaseError extends Error {
  override name = "NoDatabaseError";
}

/** Procedures with which an installation can begin. All others need a database that exists. */
const CREATING: ReadonlySet<string> = new Set(["users.add", "workspaces.add", "demo.load", "restore.record"]);

/**
 * Opens the database for a call of this procedure.
 * @throws NoDatabaseError when there is none and the procedure may not create one; as `openDatabase`.
 */
export async function openForCall(env: Env, options: OpenOptions, path: string): Promise<OpenDatabase> {
  if (!CREATING.has(path)) await requireDatabase(env);
  return openDatabase(env, { poolSize: 2, ...options });
}

async function requireDatabase(env: Env): Promise<void> {
  if (env.DATABASE_URL === undefined) {
    const dataDir = resolve(env.DATA_DIR);
    if (existsSync(join(dataDir, "db"))) return;
    throw new NoDatabaseError(
      `There is no database in ${dataDir}. Set DATA_DIR to the directory of your data, or start the server to create one.`,
    );
  }
  const connection = await connectPostgres({
    ...toPostgresOptions(env, env.DATABASE_URL),
    poolSize: 1,
    migrate: false,
  });
  try {
    if (await hasSchema(connection.db)) return;
  } finally {
    await connection.close();
  }
  throw new NoDatabaseError(
    "The database that DATABASE_URL names holds no data of Minutes. Start the server to create its tables.",
  );
}
