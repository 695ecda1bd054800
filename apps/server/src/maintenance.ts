import type { Engine } from "@minutes/db";

/** Milliseconds between looks at what has changed. */
const INTERVAL = 20_000;

/** Tables that changed enough since they were last looked after; the measure is autovacuum's own. */
const DUE = `
  select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where n_dead_tup > 50 + 0.2 * n_live_tup
    or n_mod_since_analyze > 50 + 0.1 * n_live_tup
    or n_ins_since_vacuum > 1000 + 0.2 * n_live_tup`;

/** Keeps the embedded database tidy. */
export interface Maintenance {
  /** Looks after what has changed now; a command that ends here has no later. */
  run(): Promise<void>;
  /** Ends it; resolves when the table at hand is done. */
  stop(): Promise<void>;
}

/**
 * Does for the embedded database what PostgreSQL's autovacuum does by itself: reclaims the room of deleted rows,
 * keeps the planner's statistics true and the search index's pending list short. Statements of the engine run on
 * the process's own thread, so tables are done one at a time, and requests get their turn in between.
 */
export function startMaintenance(client: Engine): Maintenance {
  let stopped = false;
  let running = Promise.resolve();
  const vacuumChanged = async () => {
    const { rows } = await client.query<{ name: string }>(DUE);
    for (const { name } of rows) {
      if (stopped) return;
      await client.exec(`vacuum (analyze) ${name}`);
      await new Promise(setImmediate);
    }
  };
  // A failed pass costs room or speed, never data, and the next one tries again.
  const run = () => {
    running = running.then(vacuumChanged).catch(() => {});
    return running;
  };
  const timer = setInterval(run, INTERVAL).unref();
  const stop = () => {
    stopped = true;
    clearInterval(timer);
    return running;
  };
  return { run, stop };
}
