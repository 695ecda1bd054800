import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import type { Database } from "../database.js";
import { lockMigrations, type MigrationOptions, migratePostgres } from "../migrate.js";
import { createClient } from "../postgres-client.js";
import { retryOnLockTimeout } from "../retry-on-lock-timeout.js";
import { DISTRIBUTED_TABLES, type DistributedTable } from "./tables.js";
import { listDistributedTables, updateSqlFunctions } from "./update-sql-functions.js";
import { requireCoordinator } from "./workers.js";

/** Default number of shards per table, which is the maximum number of usable workers. */
const DEFAULT_SHARDS = 32;

/** Timeout for retrying a table that calls are using, in ms. */
const RETRY_TIMEOUT = 120_000;

export interface DistributeOptions extends MigrationOptions {
  /** Number of shards for each newly distributed table. */
  readonly shards?: number;
  /** True moves the tables back to the coordinator. */
  readonly undo?: boolean;
  /** Called before the rows of a table move. */
  readonly onTable?: (table: string) => void;
}

/**
 * Distributes the large tables over the workers of a cluster, or moves them back. Each table moves in one transaction
 * with the functions that read it, so an interrupted run can be repeated. Reads continue; writes wait for the table
 * being moved. A table in use is retried for two minutes, so other calls don't queue behind the move.
 * @returns the moved tables
 * @throws ExplainedError if there is no cluster; otherwise as `migratePostgres`
 */
export async function distributeDatabase(url: string, options: DistributeOptions = {}): Promise<string[]> {
  const { shards = DEFAULT_SHARDS, undo = false, onTable = () => {} } = options;
  const client = createClient(url, { max: 1, connection: { application_name: "minutes" } });
  const db = drizzle(client) as unknown as Database;
  try {
    await requireCoordinator(db);
    await migratePostgres(url, options);
    await lockMigrations(db, options.lockPatience);
    const moved: string[] = [];
    for (const table of await listMovable(db, undo)) {
      onTable(table.name);
      const move = () =>
        db.transaction(async (tx) => {
          await tx.execute(
            undo ? undistribute(table) : distribute(table, shards, await listDistributedTables(tx)),
          );
          await updateSqlFunctions(tx);
        });
      await retryOnLockTimeout(db, move, RETRY_TIMEOUT);
      moved.push(table.name);
    }
    if (!undo) await removeLeftovers(db);
    return moved;
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Lists existing tables that are not distributed as planned. */
async function listMovable(db: Database, undo: boolean): Promise<DistributedTable[]> {
  const present = await db
    .select({ name: sql<string>`relname::text` })
    .from(sql`pg_class`)
    .where(sql`relnamespace = 'public'::regnamespace and relkind = 'r'`);
  const done = await listDistributedTables(db);
  return DISTRIBUTED_TABLES.filter(
    ({ name }) => present.some((table) => table.name === name) && done.includes(name) === undo,
  );
}

const asTable = (name: string): SQL => sql`${name}::text::regclass`;

/** Builds the statement that distributes a table, colocated with a table of the same column if there is one. */
function distribute({ name, column }: DistributedTable, shards: number, done: readonly string[]): SQL {
  const beside = DISTRIBUTED_TABLES.find(
    (other) => other.column === column && done.includes(other.name),
  )?.name;
  return beside
    ? sql`select create_distributed_table(${asTable(name)}, ${column}::text, colocate_with => ${beside}::text)`
    : sql`select create_distributed_table(${asTable(name)}, ${column}::text, colocate_with => 'none', shard_count => ${shards}::int)`;
}

const undistribute = ({ name }: DistributedTable): SQL => sql`select undistribute_table(${asTable(name)})`;

/** Removes the local copies of rows that were copied to the workers. */
async function removeLeftovers(db: Database): Promise<void> {
  for (const name of await listDistributedTables(db)) {
    const [left] = await db
      .select({ bytes: sql<number>`pg_relation_size(${asTable(name)})::float8` })
      .from(sql`(values (1)) one`);
    const truncate = async () => {
      await db.execute(sql`select truncate_local_data_after_distributing_table(${asTable(name)})`);
    };
    if (left && left.bytes > 0) await retryOnLockTimeout(db, truncate, RETRY_TIMEOUT);
  }
}
