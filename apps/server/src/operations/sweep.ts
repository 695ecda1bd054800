import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";

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

/** Number of pages to read in one step: 16 MB. */
const STEP = 2_048;

/**
 * Removes deleted rows from a table's pages, step by step: the engine does it when it reads a full page. The vacuum that
 * follows, a single statement, then takes half the time. Does nothing for a small table.
 * @param name quoted, with its schema
 */
export async function pruneTable(db: Database, name: string, isStopped: () => boolean): Promise<void> {
  const [table] = await db
    .select({ pages: sql<number>`(bytes / 8192)::float8` })
    .from(sql`pg_relation_size(${name}::text::regclass) as bytes`);
  const pages = table?.pages ?? 0;
  if (pages <= STEP) return;
  for (let from = 0; from < pages && !isStopped(); from += STEP) {
    const range = `ctid >= '(${from},0)' and ctid < '(${from + STEP},0)'`;
    await db.execute(sql.raw(`select count(*) from ${name} where ${range}`));
    await new Promise(setImmediate);
  }
}
