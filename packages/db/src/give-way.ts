import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Database } from "./database.js";
import { getFaultCode } from "./faults.js";

/** Milliseconds that a change of a table waits for it: less than the second after which PostgreSQL looks for deadlocks. */
const LOCK_TIMEOUT = 500;
/** Maximum of milliseconds between two tries. */
const PAUSE = 300;
/** A wait for a lock took too long, or would have been for ever. */
const IN_USE = new Set(["55P03", "40P01"]);

/**
 * Runs work that changes tables while other processes answer calls. A call that holds one table and waits for another could
 * wait for the work, and the work for it; so the work gives up first, and is repeated.
 * @param work leaves nothing behind, or what its repetition finds done
 * @param patience milliseconds after which the work is not tried again
 * @throws Error of the last try
 */
export async function giveWayToCalls(
  db: Pick<Database, "execute">,
  work: () => Promise<void>,
  patience: number,
): Promise<void> {
  const until = performance.now() + patience;
  await db.execute(sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT)}, false)`);
  for (;;) {
    try {
      await work();
      break;
    } catch (error) {
      if (!IN_USE.has(getFaultCode(error) ?? "") || performance.now() > until) throw error;
      await pause(Math.random() * PAUSE);
    }
  }
  await db.execute(sql`select set_config('lock_timeout', '0', false)`);
}
