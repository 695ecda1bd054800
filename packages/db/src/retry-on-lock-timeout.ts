import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Database } from "./database.js";
import { ExplainedError, getFaultCode } from "./faults.js";

/** Lock timeout of a schema change in ms: less than the second after which PostgreSQL checks for deadlocks. */
const LOCK_TIMEOUT = 500;
/** Maximum delay between attempts, in ms. */
const PAUSE = 300;
const WAITING = "Other sessions use the tables that change: waiting until they don't.";
const IN_USE_TOO_LONG =
  "Other sessions have kept using a table that changes, so it was not changed. Nothing is lost: end transactions that stay " +
  "open (select pid, application_name, state, xact_start from pg_stat_activity order by xact_start), and repeat the command.";

/** Lock timeout, or deadlock. */
const IN_USE = new Set(["55P03", "40P01"]);

/**
 * Runs work that changes tables while other processes answer calls. A call that holds one table and waits for another
 * could deadlock with the work, so the work gives up first and is retried.
 * @param work leaves nothing behind when it fails, or can be repeated
 * @param patience time in ms after which the work is not retried
 * @param onWait called with a sentence after the first attempt that gave up
 * @throws ExplainedError after the last attempt; other errors of the work as they are
 */
export async function retryOnLockTimeout(
  db: Pick<Database, "execute">,
  work: () => Promise<void>,
  patience: number,
  onWait: (note: string) => void = () => {},
): Promise<void> {
  const until = performance.now() + patience;
  await db.execute(sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT)}, false)`);
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      break;
    } catch (error) {
      if (!IN_USE.has(getFaultCode(error) ?? "")) throw error;
      if (performance.now() > until) throw new ExplainedError(IN_USE_TOO_LONG, { cause: error });
      if (attempt === 1) onWait(WAITING);
      await pause(Math.random() * PAUSE);
    }
  }
  await db.execute(sql`select set_config('lock_timeout', '0', false)`);
}
