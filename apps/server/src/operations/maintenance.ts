import { startLoop } from "@minutes/background";
import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Maintenance } from "./installation.js";
import { createSweeper, pruneTable } from "./sweep.js";

/** Interval between passes, in ms. */
const INTERVAL = 20_000;
/** Interval between sweeps in ms: the time within which deleted rows leave the files, see docs/erasure.md. */
const SWEEP_INTERVAL = 3_600_000;
/** Delay of the first sweep in ms, which handles the remains of an earlier process. */
const FIRST_SWEEP = 60_000;
/** Size of the write-ahead log since the last checkpoint that triggers another one, in bytes. */
const LOG_LIMIT = 64 * 2 ** 20;

/** Tables that changed enough since their last maintenance, by autovacuum's own measure. */
const DUE = sql`pg_stat_user_tables
  where n_dead_tup > 50 + 0.2 * n_live_tup
    or n_mod_since_analyze > 50 + 0.1 * n_live_tup
    or n_ins_since_vacuum > 1000 + 0.2 * n_live_tup`;

export interface MaintenanceOptions {
  /** Interval between passes, in ms. */
  readonly interval?: number;
  /** Delay of the first sweep, in ms. */
  readonly firstSweep?: number;
  /** True while a backup needs the write-ahead log. */
  readonly mustKeepWriteAheadLog?: () => boolean;
}

/**
 * Does for the embedded database what PostgreSQL's autovacuum and checkpointer do: reclaims space of deleted rows,
 * updates planner statistics, and removes old log files. The engine runs statements on the main thread, so tables are
 * handled one at a time, and requests are answered in between.
 */
export function startMaintenance(
  db: Database,
  {
    interval = INTERVAL,
    firstSweep = FIRST_SWEEP,
    mustKeepWriteAheadLog = () => false,
  }: MaintenanceOptions = {},
): Maintenance {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let nextSweep = performance.now() + firstSweep;
  const sweeper = createSweeper(db, { isStopped: () => stopped, mustKeepWriteAheadLog });
  const enqueue = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = running.then(work);
    // A failed pass costs space or speed, never data, and the next one retries.
    running = done.catch(() => {});
    return done;
  };
  const vacuumChanged = async () => {
    for (const { name } of await db
      .select({ name: sql<string>`format('%I.%I', schemaname, relname)` })
      .from(DUE)) {
      await pruneTable(db, name, () => stopped);
      for (const work of ["vacuum", "analyze"]) {
        if (stopped) return;
        await db.execute(sql.raw(`${work} ${name}`));
        await new Promise(setImmediate);
      }
    }
  };
  const pass = async () => {
    await vacuumChanged();
    if (stopped || mustKeepWriteAheadLog()) return;
    if (performance.now() >= nextSweep) await sweep();
    else if (await isLogLong(db)) await db.execute(sql`checkpoint`);
  };
  const sweep = async () => {
    const complete = await sweeper.sweep();
    if (complete) nextSweep = performance.now() + SWEEP_INTERVAL;
    return complete;
  };
  const run = () => enqueue(pass).catch(() => {});
  const loop = startLoop({
    onFault: () => {},
    step: async () => {
      await run();
      return interval;
    },
  });
  return {
    run,
    sweep: () => enqueue(sweep).catch(() => false),
    stop: async () => {
      stopped = true;
      await loop.stop();
      await running;
    },
  };
}

async function isLogLong(db: Database): Promise<boolean> {
  const [row] = await db
    .select({ bytes: sql<number>`pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8` })
    .from(sql`pg_control_checkpoint()`);
  return row !== undefined && row.bytes > LOG_LIMIT;
}
