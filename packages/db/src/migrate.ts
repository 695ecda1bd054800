import { createRequire } from "node:module";
import { dirname } from "node:path";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { PgliteDatabase } from "drizzle-orm/pglite";
import { migrate as runEmbedded } from "drizzle-orm/pglite/migrator";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { migrate as runPostgres } from "drizzle-orm/postgres-js/migrator";
import type { Database } from "./database.js";
import { getFaultCode } from "./faults.js";
import { giveWayToCalls } from "./give-way.js";
import { prepareLookups } from "./layout/prepare-lookups.js";
import { requireOwnSessions } from "./pooler.js";
import { createClient } from "./postgres-client.js";
import { requireNoUnfinishedMove } from "./unfinished-move.js";
import { prepareVectors } from "./vectors.js";

/** The database holds migrations that this version does not know: running on it could lose data. */
export class SchemaNewerError extends Error {
  override name = "SchemaNewerError";
  constructor() {
    super("The database was written by a newer version of Minutes. Start that version, or a newer one.");
  }
}

/** Found through the package, so that it works from the sources and from a bundle alike. */
const migrationsFolder = dirname(
  dirname(createRequire(import.meta.url).resolve("@minutes/db/migrations/meta/_journal.json")),
);

/** One migration at a time over all processes; any fixed number serves. */
const MIGRATION_LOCK = 7_164_210_381;

/** Milliseconds that a start waits for another process's migration. */
const LOCK_PATIENCE = 300_000;

/** Milliseconds in which a migration is tried again while calls keep a table that it changes. */
const RETRY_TIMEOUT = 120_000;

type AnyDatabase = PgliteDatabase<Record<string, never>> | PostgresJsDatabase<Record<string, never>>;

async function getLastMigration(db: Database): Promise<number> {
  const [{ present } = { present: null }] = await db
    .select({ present: sql<string | null>`to_regclass('drizzle.__drizzle_migrations')::text` })
    .from(sql`(values (1)) one`);
  if (present === null) return 0;
  const [{ last } = { last: "0" }] = await db
    .select({ last: sql<string>`coalesce(max(created_at), 0)::text` })
    .from(sql`drizzle.__drizzle_migrations`);
  return Number(last);
}

/** Returns whether the database holds a schema of Minutes, of whatever version. */
export const hasSchema = async (db: Database): Promise<boolean> => (await getLastMigration(db)) > 0;

/** Compares a database's schema with this version's: it may lack migrations, or hold some that are unknown here. */
export async function getSchemaState(db: Database): Promise<"current" | "behind" | "newer"> {
  const known = Math.max(
    ...readMigrationFiles({ migrationsFolder }).map((migration) => migration.folderMillis),
  );
  const last = await getLastMigration(db);
  if (last === known) return "current";
  return last < known ? "behind" : "newer";
}

/** Requires a schema that this version knows, and no move that is unfinished. @throws SchemaNewerError, UnfinishedMoveError */
async function requireUsableSchema(db: AnyDatabase): Promise<void> {
  if ((await getSchemaState(db as unknown as Database)) === "newer") throw new SchemaNewerError();
  await requireNoUnfinishedMove(db as unknown as Database);
}

/** Enables pgvector where the server offers and allows it. Only vectors depend on it. */
async function enableVectors(db: AnyDatabase): Promise<void> {
  const [row] = await db
    .select({ installed: sql<string | null>`installed_version` })
    .from(sql`pg_available_extensions where name = 'vector'`);
  if (row && row.installed === null)
    await db.execute(sql`create extension if not exists vector`).catch(() => {});
}

/** Records that a process opened the database, by which cursors of the change feed tell a restored one. */
const recordStart = (db: AnyDatabase) => db.execute(sql`select record_start()`);

/** Brings the embedded database's schema up to date. Its directory is locked by the caller. */
export async function migrateEmbedded(db: PgliteDatabase<Record<string, never>>): Promise<void> {
  await requireUsableSchema(db);
  await enableVectors(db);
  await runEmbedded(db, { migrationsFolder });
  await prepareVectors(db as unknown as Database);
  await prepareLookups(db as unknown as Database);
  await recordStart(db);
}

/** Applies what the schema lacks. What is there already stays as it is. */
async function changeSchema(db: PostgresJsDatabase<Record<string, never>>): Promise<void> {
  await runPostgres(db, { migrationsFolder });
  await prepareVectors(db as unknown as Database);
  await prepareLookups(db as unknown as Database);
}

/** Another process holds the lock of migrations; the message says how to find it. */
export class MigrationLockedError extends Error {
  override name = "MigrationLockedError";
  constructor() {
    super(
      "Another session has held the lock of migrations for a long time. If nothing migrates, end it: " +
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted;",
    );
  }
}

/** Waits for the lock until the session ends, so that the next statements run alone. */
export async function lockMigrations(db: Pick<Database, "execute">, patience = LOCK_PATIENCE): Promise<void> {
  await db.execute(sql`select set_config('lock_timeout', ${String(patience)}, false)`);
  try {
    await db.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`);
  } catch (error) {
    throw getFaultCode(error) === "55P03" ? new MigrationLockedError() : error;
  }
  await db.execute(sql`select set_config('lock_timeout', '0', false)`);
}

export interface MigrationOptions {
  /** Milliseconds to wait for another process's migration. */
  readonly lockPatience?: number;
  /** True for an address that a pooler's address stands beside. */
  readonly isDirect?: boolean;
}

/**
 * Brings a PostgreSQL schema up to date, one process at a time; the others wait and find it done.
 * @throws SchemaNewerError, UnfinishedMoveError, PoolerError, MigrationLockedError after `lockPatience` milliseconds.
 */
export async function migratePostgres(url: string, options: MigrationOptions = {}): Promise<void> {
  const { lockPatience, isDirect = false } = options;
  await requireOwnSessions(url, isDirect);
  const client = createClient(url, { max: 1 });
  try {
    const db = drizzle(client);
    await lockMigrations(db as unknown as Database, lockPatience);
    await requireUsableSchema(db);
    await enableVectors(db);
    await giveWayToCalls(db as unknown as Database, () => changeSchema(db), RETRY_TIMEOUT);
    await recordStart(db);
  } finally {
    await client.end({ timeout: 5 });
  }
}
