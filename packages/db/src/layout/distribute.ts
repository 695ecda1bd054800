import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import type { Database } from "../database.js";
import { lockMigrations, type MigrationOptions, migratePostgres } from "../migrate.js";
import { createClient } from "../postgres-client.js";
import { retryOnLockTimeout } from "../retry-on-lock-timeout.js";
import { DISTRIBUTED_TABLES, type DistributedTable } from "./tables.js";
import { listDistributedTables, updateSqlFunctions } from "./update-sql-functions.js";
import { requireCoordinator } from "./workers.js";

/** Timeout for retrying a table that calls are using, in ms. */
const RETRY_TIMEOUT = 120_000;

type Executor = Parameters<typeof listDistributedTables>[0];

export interface DistributeOptions extends MigrationOptions {
  /**
   * Number of shards of each table. If absent, distributed tables keep theirs, and others get one per worker: a search
   * queries every shard.
   */
  readonly shards?: number | undefined;
  /** True moves the tables back to the coordinator. */
  readonly undo?: boolean;
  /** Called before the rows of a table move. */
  readonly onTable?: (table: string) => void;
}

/**
 * Distributes the large tables over the workers of a cluster, changes their number of shards, or moves them back. Each
 * table moves in one transaction with the functions that read it, so an interrupted run can be repeated. Reads continue;
 * writes wait for the table being moved. A table in use is retried for two minutes, so other calls don't queue behind the
 * move.
 * @returns the moved tables; for a group of colocated tables whose number of shards changed, one of them
 * @throws ExplainedError if there is no cluster; otherwise as `migratePostgres`
 */
export async function distributeDatabase(url: string, options: DistributeOptions = {}): Promise<string[]> {
  const { shards, undo = false, onTable = () => {}, onWait } = options;
  const client = createClient(url, { max: 1, connection: { application_name: "minutes" } });
  const db = drizzle(client) as unknown as Database;
  try {
    const workers = await requireCoordinator(db);
    await migratePostgres(url, options);
    await lockMigrations(db, options);
    const moved: string[] = [];
    const change = async (table: string, write: (tx: Executor) => Promise<SQL>) => {
      onTable(table);
      const inTransaction = () =>
        db.transaction(async (tx) => {
          await tx.execute(await write(tx));
          await updateSqlFunctions(tx);
        });
      await retryOnLockTimeout(db, inTransaction, RETRY_TIMEOUT, onWait);
      moved.push(table);
    };
    for (const table of await listMovable(db, undo))
      await change(table.name, async (tx) =>
        undo ? undistribute(table) : distribute(table, shards ?? workers, await listDistributedTables(tx)),
      );
    if (undo) return moved;
    if (shards !== undefined)
      for (const table of await listUnlike(db, shards))
        await change(table, async () => divide(table, shards));
    await removeLeftovers(db, onWait);
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

/** Lists a table of each group of colocated tables that has another number of shards. */
async function listUnlike(db: Database, shards: number): Promise<string[]> {
  const rows = await db
    .select({ name: sql<string>`min(c.relname::text)` })
    .from(
      sql`pg_dist_partition p join pg_dist_colocation o using (colocationid) join pg_class c on c.oid = p.logicalrelid`,
    )
    .where(sql`o.shardcount <> ${shards} and p.partmethod = 'h' and c.relnamespace = 'public'::regnamespace`)
    .groupBy(sql`colocationid`);
  return rows.map(({ name }) => name);
}

/** Builds the statement that copies a table, and those colocated with it, into another number of shards. */
const divide = (name: string, shards: number): SQL =>
  sql`select alter_distributed_table(${asTable(name)}, shard_count => ${shards}::int, cascade_to_colocated => true)`;

/** Removes the local copies of rows that were copied to the workers. */
async function removeLeftovers(db: Database, onWait: DistributeOptions["onWait"]): Promise<void> {
  for (const name of await listDistributedTables(db)) {
    const [left] = await db
      .select({ bytes: sql<number>`pg_relation_size(${asTable(name)})::float8` })
      .from(sql`(values (1)) one`);
    const truncate = async () => {
      await db.execute(sql`select truncate_local_data_after_distributing_table(${asTable(name)})`);
    };
    if (left && left.bytes > 0) await retryOnLockTimeout(db, truncate, RETRY_TIMEOUT, onWait);
  }
}
