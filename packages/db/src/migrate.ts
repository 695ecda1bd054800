import { createRequire } from "node:module";
import { dirname } from "node:path";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { PgliteDatabase } from "drizzle-orm/pglite";
import { migrate as runEmbedded } from "drizzle-orm/pglite/migrator";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Database } from "./database.js";
import { ExplainedError, getFaultCode } from "./faults.js";
import { updateSqlFunctions } from "./layout/update-sql-functions.js";
import { findMove, requireNoUnfinishedMove } from "./moves.js";
import { requireOwnSessions } from "./pooler.js";
import { createClient } from "./postgres-client.js";
import { retryOnLockTimeout } from "./retry-on-lock-timeout.js";
import { createVectorTables } from "./vectors.js";

/** The database has migrations unknown to this version: running on it could lose data. */
export class SchemaNewerError extends ExplainedError {
  override name = "SchemaNewerError";
  constructor() {
    super("The database was written by a newer version of Minutes. Start that version, or a newer one.");
  }
}

/** Creation time of the first migration, in ms. Databases of the weeks before have an earlier one. */
const FIRST_MIGRATION = 1_795_740_533_041;

const OLDER =
  "This database was written before the first release. Check out commit 70cc47c0 and start it once on this database; " +
  "then start this version.";

/** Resolved through the package, so it works from sources and from a bundle. */
const migrationsFolder = dirname(
  dirname(createRequire(import.meta.url).resolve("@minutes/db/migrations/meta/_journal.json")),
);

/** Advisory lock that serializes migrations across processes. The number is arbitrary but fixed. */
const MIGRATION_LOCK = 7_164_210_381;

/** Maximum time a start waits for another process's migration, in ms. */
const LOCK_PATIENCE = 300_000;

/** Timeout for retrying each migration while calls use a table that it changes, in ms. */
const RETRY_TIMEOUT = 120_000;

type AnyDatabase = PgliteDatabase<Record<string, never>> | PostgresJsDatabase<Record<string, never>>;

/** Returns the last migration of a database, as its creation time in ms; 0 without a schema. */
export async function getSchemaVersion(db: Database): Promise<number> {
  const [{ present } = { present: null }] = await db
    .select({ present: sql<string | null>`to_regclass('drizzle.__drizzle_migrations')::text` })
    .from(sql`(values (1)) one`);
  if (present === null) return 0;
  const [{ last } = { last: "0" }] = await db
    .select({ last: sql<string>`coalesce(max(created_at), 0)::text` })
    .from(sql`drizzle.__drizzle_migrations`);
  return Number(last);
}

/** Returns true if the database has a Minutes schema of any version. */
export const hasSchema = async (db: Database): Promise<boolean> => (await getSchemaVersion(db)) > 0;

/** Compares a database's schema with this version's. */
export async function getSchemaState(db: Database): Promise<"current" | "behind" | "newer"> {
  const known = Math.max(
    ...readMigrationFiles({ migrationsFolder }).map((migration) => migration.folderMillis),
  );
  const last = await getSchemaVersion(db);
  if (last === known) return "current";
  return last < known ? "behind" : "newer";
}

/** Says what is wrong with a database's encoding; null for UTF-8, the only one that stores every transcript. */
export const describeWrongEncoding = (encoding: string): string | null =>
  encoding === "UTF8"
    ? null
    : `The database's encoding is ${encoding}: create a database with encoding UTF8 and template template0, and use that one.`;

/** Requires a database in UTF-8. @throws ExplainedError */
async function requireUtf8(db: AnyDatabase): Promise<void> {
  const [row] = await db
    .select({ encoding: sql<string>`current_setting('server_encoding')` })
    .from(sql`(values (1)) one`);
  const fault = describeWrongEncoding(row?.encoding ?? "");
  if (fault !== null) throw new ExplainedError(fault);
}

/**
 * Requires a schema that this version can migrate, and no unfinished move to or complete move from it.
 * @throws SchemaNewerError, MovedError, ExplainedError
 */
async function requireUsableSchema(db: AnyDatabase): Promise<void> {
  const version = await getSchemaVersion(db as unknown as Database);
  if (version > 0 && version < FIRST_MIGRATION) throw new ExplainedError(OLDER);
  if ((await getSchemaState(db as unknown as Database)) === "newer") throw new SchemaNewerError();
  await requireNoUnfinishedMove(db as unknown as Database);
  const moved = await findMove(db as unknown as Database);
  if (moved) throw moved;
}

/** Enables pgvector if the server offers and permits it. Only vectors depend on it. */
async function enableVectors(db: AnyDatabase): Promise<void> {
  const [row] = await db
    .select({ installed: sql<string | null>`installed_version` })
    .from(sql`pg_available_extensions where name = 'vector'`);
  if (row && row.installed === null)
    await db.execute(sql`create extension if not exists vector`).catch(() => {});
}

/** Records that a process opened the database. Change feed cursors use it to detect a restored database. */
const recordStart = (db: AnyDatabase) => db.execute(sql`select record_start()`);

/** Migrates the embedded database. The caller holds its directory's lock. */
export async function migrateEmbedded(db: PgliteDatabase<Record<string, never>>): Promise<void> {
  await requireUsableSchema(db);
  await enableVectors(db);
  await runEmbedded(db, { migrationsFolder });
  await createVectorTables(db as unknown as Database);
  await updateSqlFunctions(db as unknown as Database);
  await recordStart(db);
}

/**
 * Creates the schema of a given migration in an empty embedded database, for rows from that time.
 * @param version as returned by `getSchemaVersion`
 * @throws SchemaNewerError if this version of Minutes does not know the migration, ExplainedError if it is too old
 */
export async function createSchema(
  db: PgliteDatabase<Record<string, never>>,
  version: number,
): Promise<void> {
  if (version < FIRST_MIGRATION) throw new ExplainedError(OLDER);
  const migrations = readMigrationFiles({ migrationsFolder });
  if (!migrations.some(({ folderMillis }) => folderMillis === version)) throw new SchemaNewerError();
  await enableVectors(db);
  await applyUntil(db, version);
  await createVectorTables(db as unknown as Database);
}

/** Applies the missing migrations up to a version, in one transaction. Drizzle's own function applies all. */
async function applyUntil(db: AnyDatabase, version: number): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder }).filter(
    ({ folderMillis }) => folderMillis <= version,
  );
  const { dialect, session } = db as unknown as {
    dialect: { migrate(list: typeof migrations, session: unknown, config: string): Promise<void> };
    session: unknown;
  };
  await dialect.migrate(migrations, session, "");
}

/**
 * Applies each missing migration in its own transaction, so that no table stays locked while the next one builds an index.
 * @param change runs each of them, in order
 */
async function changeSchema(
  db: PostgresJsDatabase<Record<string, never>>,
  change: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const version = await getSchemaVersion(db as unknown as Database);
  for (const { folderMillis } of readMigrationFiles({ migrationsFolder }))
    if (folderMillis > version) await change(() => applyUntil(db, folderMillis));
  await change(() => createVectorTables(db as unknown as Database));
  await change(() => updateSqlFunctions(db as unknown as Database));
}

/** Removes timeouts of the role or database that would cancel a migration. PostgreSQL 17 added the second one. */
async function removeTimeouts(db: AnyDatabase): Promise<void> {
  await db.execute(sql`select set_config('statement_timeout', '0', false)`);
  await db.execute(
    sql`select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`,
  );
}

/** Matches only the session that holds the migration lock: applications and databases of a cluster share `pg_locks`. */
const LOCK_HOLDER =
  "locktype = 'advisory' and granted " +
  "and database = (select oid from pg_database where datname = current_database()) " +
  `and classid = ${Math.floor(MIGRATION_LOCK / 2 ** 32)} and objid = ${MIGRATION_LOCK % 2 ** 32} and objsubid = 1`;

const MIGRATING = "Another session migrates the database: waiting until it is done.";
const LOCKED =
  "Another session has held the migration lock for a long time. If no migration is running, end that session by running " +
  `in the same database: select pg_terminate_backend(pid) from pg_locks where ${LOCK_HOLDER};`;

/**
 * Waits for the lock and keeps it until the session ends.
 * @param onWait called with a sentence if another session has it
 * @throws ExplainedError after `lockPatience` ms
 */
export async function lockMigrations(
  db: Pick<Database, "select" | "execute">,
  { lockPatience = LOCK_PATIENCE, onWait = () => {} }: Pick<MigrationOptions, "lockPatience" | "onWait"> = {},
): Promise<void> {
  const [row] = await db
    .select({ locked: sql<boolean>`pg_try_advisory_lock(${MIGRATION_LOCK})` })
    .from(sql`(values (1)) one`);
  if (row?.locked) return;
  onWait(MIGRATING);
  await db.execute(sql`select set_config('lock_timeout', ${String(lockPatience)}, false)`);
  try {
    await db.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`);
  } catch (error) {
    throw getFaultCode(error) === "55P03" ? new ExplainedError(LOCKED) : error;
  }
  await db.execute(sql`select set_config('lock_timeout', '0', false)`);
}

export interface MigrationOptions {
  /** Maximum time to wait for another process's migration, in ms. */
  readonly lockPatience?: number;
  /** True if a direct URL is configured next to a pooler URL. */
  readonly isDirect?: boolean;
  /** Called with a sentence when the migration waits for other sessions. */
  readonly onWait?: ((note: string) => void) | undefined;
}

/**
 * Migrates a PostgreSQL database, one process at a time. Waiting processes find the work done.
 * @throws SchemaNewerError, ExplainedError, also after `lockPatience` ms
 */
export async function migratePostgres(url: string, options: MigrationOptions = {}): Promise<void> {
  const { isDirect = false, onWait } = options;
  await requireOwnSessions(url, isDirect);
  const client = createClient(url, { max: 1 });
  try {
    const db = drizzle(client);
    await requireUtf8(db);
    await removeTimeouts(db);
    await lockMigrations(db as unknown as Database, options);
    await requireUsableSchema(db);
    await enableVectors(db);
    await changeSchema(db, (work) =>
      retryOnLockTimeout(db as unknown as Database, work, RETRY_TIMEOUT, onWait),
    );
    await recordStart(db);
  } finally {
    await client.end({ timeout: 5 });
  }
}
