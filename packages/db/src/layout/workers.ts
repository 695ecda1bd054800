import { sql } from "drizzle-orm";
import type { Database } from "../database.js";
import { ExplainedError } from "../faults.js";
import { DISTRIBUTED_TABLES } from "./tables.js";
import { listDistributedTables } from "./update-sql-functions.js";

type Executor = Pick<Database, "select">;

/** Requires the coordinator of a Citus cluster with workers. @returns the number of workers @throws ExplainedError */
export async function requireCoordinator(db: Executor): Promise<number> {
  const [server] = await db
    .select({
      offered: sql<boolean>`exists (select from pg_available_extensions where name = 'citus')`,
      installed: sql<boolean>`to_regclass('pg_catalog.pg_dist_partition') is not null`,
    })
    .from(sql`(values (1)) one`);
  if (!server?.offered)
    throw new ExplainedError("The database server has no Citus. Install it on all servers of the cluster.");
  if (!server.installed)
    throw new ExplainedError(
      "Citus is not enabled in this database. Run CREATE EXTENSION citus in it, on all servers of the cluster.",
    );
  const [group] = await db.select({ id: sql<number>`groupid` }).from(sql`pg_dist_local_group`);
  if (group?.id !== 0)
    throw new ExplainedError("This server is a worker. Set DATABASE_URL to the cluster's coordinator.");
  const workers = await db
    .select({ name: sql<string>`node_name` })
    .from(sql`citus_get_active_worker_nodes()`);
  if (workers.length === 0)
    throw new ExplainedError(
      "The coordinator has no workers. Add them with: select citus_add_node('host', 5432);",
    );
  return workers.length;
}

/** A distributed table and a server's share of it. */
interface TableShare {
  readonly table: string;
  /** `host:port`. */
  readonly node: string;
  readonly shards: number;
  readonly bytes: number;
}

/** The current placement of the tables. */
export interface DatabaseLayout {
  readonly shares: readonly TableShare[];
  /** Number of workers that have no shards. */
  readonly idle: number;
  /** Tables that are only on the coordinator. */
  readonly undistributed: readonly string[];
  /** Shard groups that a rebalance would move, and their size in bytes. */
  readonly moves: { readonly shards: number; readonly bytes: number };
}

/** Reads the placement from every worker. Null if no table is distributed. */
export async function readLayout(db: Database): Promise<DatabaseLayout | null> {
  const distributed = await listDistributedTables(db);
  if (distributed.length === 0) return null;
  const names = DISTRIBUTED_TABLES.map(({ name }) => name);
  const shares = await db
    .select({
      table: sql<string>`table_name::text`,
      node: sql<string>`nodename || ':' || nodeport`,
      shards: sql<number>`count(*)::int`,
      bytes: sql<number>`coalesce(sum(shard_size), 0)::float8`,
    })
    .from(sql`citus_shards`)
    .where(sql`citus_table_type = 'distributed'`)
    .groupBy(sql`1, 2`)
    .orderBy(sql`1, 2`);
  const [{ workers } = { workers: 0 }] = await db
    .select({ workers: sql<number>`count(*)::int` })
    .from(sql`citus_get_active_worker_nodes()`);
  const [moves] = await db
    .select({ shards: sql<number>`count(*)::int`, bytes: sql<number>`coalesce(sum(shard_size), 0)::float8` })
    .from(sql`get_rebalance_table_shards_plan()`);
  return {
    shares: shares.filter(({ table }) => names.includes(table)),
    idle: Math.max(0, workers - new Set(shares.map(({ node }) => node)).size),
    undistributed: names.filter((name) => !distributed.includes(name)),
    moves: moves ?? { shards: 0, bytes: 0 },
  };
}
