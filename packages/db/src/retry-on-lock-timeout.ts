import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Database } from "./database.js";
import { getFaultCode } from "./faults.js";

/** Lock timeout of a schema change in ms: less than the second after which PostgreSQL checks for deadlocks. */
const LOCK_TIMEOUT = 500;
/** Maximum delay between attempts, in ms. */
const PAUSE = 300;
/** Lock timeout, or deadlock. */
const IN_USE = new Set(["55P03", "40P01"]);

/**
 * Runs work that changes tables while other processes answer calls. A call that holds one table and waits for another
 * could deadlock with the work, so the work gives up first and is retried.
 * @param work leaves nothing behind when it fails, or can be repeated
 * @param patience time in ms after which the work is not retried
 * @throws Error of the last attempt
 */
export async function retryOnLockTimeout(
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
