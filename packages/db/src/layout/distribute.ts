import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import type { Database } from "../database.js";
import { giveWayToCalls } from "../give-way.js";
import { lockMigrations, type MigrationOptions, migratePostgres } from "../migrate.js";
import { createClient } from "../postgres-client.js";
import { listSpreadTables, prepareLookups } from "./prepare-lookups.js";
import { SPREAD_TABLES, type SpreadTable } from "./tables.js";
import { requireCoordinator } from "./workers.js";

/** Shards of each table, unless an option says otherwise: as many workers can be used. */
const DEFAULT_SHARDS = 32;

/** Milliseconds in which a table is tried again while calls keep it. */
const RETRY_TIMEOUT = 120_000;

export interface DistributeOptions extends MigrationOptions {
  /** Shards of each table that is not spread yet. */
  readonly shards?: number;
  /** True brings the tables back to the coordinator. */
  readonly undo?: boolean;
  /** Is called before the rows of a table move. */
  readonly onTable?: (table: string) => void;
}

/**
 * Spreads the large tables over the workers of a cluster, or brings them back. Each table moves in a transaction together with
 * the functions that read it, so that what was interrupted is repeated from there. Reads go on meanwhile; writes wait for the
 * table that is moving. A table that a call keeps is tried again for two minutes, so that other calls don't wait behind the move.
 * @returns the tables that moved
 * @throws LayoutError where there is no cluster; as `migratePostgres`
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
          await tx.execute(undo ? bringTogether(table) : spread(table, shards, await listSpreadTables(tx)));
          await prepareLookups(tx);
        });
      await giveWayToCalls(db, move, RETRY_TIMEOUT);
      moved.push(table.name);
    }
    if (!undo) await removeLeftovers(db);
    return moved;
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Lists the tables that exist and are not where they shall be. */
async function listMovable(db: Database, undo: boolean): Promise<SpreadTable[]> {
  const present = await db
    .select({ name: sql<string>`relname::text` })
    .from(sql`pg_class`)
    .where(sql`relnamespace = 'public'::regnamespace and relkind = 'r'`);
  const done = await listSpreadTables(db);
  return SPREAD_TABLES.filter(
    ({ name }) => present.some((table) => table.name === name) && done.includes(name) === undo,
  );
}

const asTable = (name: string): SQL => sql`${name}::text::regclass`;

/** Builds the statement that spreads a table; beside one of the same column that is spread already, in as many shards. */
function spread({ name, column }: SpreadTable, shards: number, done: readonly string[]): SQL {
  const beside = SPREAD_TABLES.find((other) => other.column === column && done.includes(other.name))?.name;
  return beside
    ? sql`select create_distributed_table(${asTable(name)}, ${column}::text, colocate_with => ${beside}::text)`
    : sql`select create_distributed_table(${asTable(name)}, ${column}::text, colocate_with => 'none', shard_count => ${shards}::int)`;
}

const bringTogether = ({ name }: SpreadTable): SQL => sql`select undistribute_table(${asTable(name)})`;

/** Removes the rows that a table had on the coordinator before they were copied to the workers. */
async function removeLeftovers(db: Database): Promise<void> {
  for (const name of await listSpreadTables(db)) {
    const [left] = await db
      .select({ bytes: sql<number>`pg_relation_size(${asTable(name)})::float8` })
      .from(sql`(values (1)) one`);
    const truncate = async () => {
      await db.execute(sql`select truncate_local_data_after_distributing_table(${asTable(name)})`);
    };
    if (left && left.bytes > 0) await giveWayToCalls(db, truncate, RETRY_TIMEOUT);
  }
}
