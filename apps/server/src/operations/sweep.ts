import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";
import { pruneTable } from "./prune.js";

/** Maximum size of an index to rebuild, in bytes: calls wait at most half a second on a busy machine. */
const REBUILD_LIMIT = 16 * 2 ** 20;
/** An index with one page and its metadata contains only the keys of its rows. */
const TWO_PAGES = 2 * 8_192;

/** A table, and the number of changed or deleted rows since its statistics began. */
interface TableChanges {
  readonly name: string;
  readonly changes: number;
  /** Indexes with text keys that can be rebuilt. */
  readonly indexes: readonly string[];
}

export interface SweeperOptions {
  readonly isStopped: () => boolean;
  /** True while a backup needs the write-ahead log, which a sweep removes. */
  readonly mustKeepWriteAheadLog: () => boolean;
}

/** Removes deleted data from the embedded database's files. */
export interface Sweeper {
  /**
   * Sweeps all tables that changed since this process's last sweep, step by step, so that calls are answered in
   * between.
   * @returns false if it ended early; the next one continues
   */
  sweep(): Promise<boolean>;
}

/**
 * Creates the sweeper of an embedded database. A vacuum frees the space of deleted rows, which the engine zeroes when
 * it writes the pages; a rebuild removes separator keys from a B-tree; checkpoints around a log switch remove the
 * corresponding log.
 * @see docs/decisions/0259-embedded-maintenance.md
 */
export function createSweeper(db: Database, { isStopped, mustKeepWriteAheadLog }: SweeperOptions): Sweeper {
  /**
   * Changes per table at its last sweep. Initially empty, because a crash loses the counters: each process sweeps every
   * table once.
   */
  const swept = new Map<string, number>();
  const step = async (statement: string) => {
    await db.execute(sql.raw(statement));
    await new Promise(setImmediate);
  };
  return {
    sweep: async () => {
      await step("select pg_stat_force_next_flush()");
      for (const { name, changes, indexes } of await readChanges(db)) {
        if (swept.get(name) === changes) continue;
        await pruneTable(db, name, isStopped);
        if (isStopped()) return false;
        await step(`vacuum (index_cleanup on) ${name}`);
        await step(`analyze ${name}`);
        for (const index of indexes) await step(`reindex index ${index}`);
        swept.set(name, changes);
      }
      // Its rows contain sampled table values.
      await step("vacuum pg_catalog.pg_statistic");
      for (const statement of ["checkpoint", "select pg_switch_wal()", "checkpoint"]) {
        if (isStopped() || mustKeepWriteAheadLog()) return false;
        await step(statement);
      }
      return true;
    },
  };
}

async function readChanges(db: Database): Promise<TableChanges[]> {
  const rows = await db
    .select({
      name: sql<string>`format('%I.%I', schemaname, relname)`,
      changes: sql<number>`(n_tup_upd + n_tup_del)::float8`,
      indexes: sql<string>`(
        select coalesce(json_agg(i.indexrelid::regclass::text), '[]')::text from pg_index i
        where i.indrelid = relid and pg_relation_size(i.indexrelid) > ${TWO_PAGES}
          and pg_relation_size(i.indexrelid) <= ${REBUILD_LIMIT}
          and exists (select from pg_attribute a where a.attrelid = i.indexrelid and a.attlen < 0))`,
    })
    .from(sql`pg_stat_user_tables order by 1`);
  return rows.map((row) => ({ ...row, indexes: JSON.parse(row.indexes) as string[] }));
}
