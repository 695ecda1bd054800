import { sql } from "drizzle-orm";
import type { Sql } from "postgres";
import type { Database } from "./database.js";

/** Interval between checks, in ms. */
const ROUND = 500;
/** Time in ms after a statement's timeout within which its cancellation must arrive. */
const MARGIN = 1_500;

/**
 * Drops connections of a pool that stay silent for longer than the statement timeout, so the driver stops queueing
 * statements behind them. A stopped server process, or a proxy that lost a connection, does not close it.
 *
 * Counts checks instead of reading the clock: a process that was busy or suspended first reads what has arrived.
 * @param statementTimeout the server's statement timeout in ms; `setStatementTimeout` raises it
 * @returns a function that stops the checks
 * @see docs/decisions/0210-failover.md
 */
export function dropOverdue(pool: Sql, statementTimeout: number): () => void {
  const timer = setInterval(() => pool.dropOverdue(ROUND, statementTimeout + MARGIN), ROUND);
  timer.unref();
  return () => clearInterval(timer);
}

/** A part of Drizzle's PostgreSQL transactions that its types omit. */
interface WithDriver {
  readonly session: { readonly client: { allow?(milliseconds: number): void } };
}

/**
 * Sets the timeout of each statement until the transaction ends, in ms: on the server and before its connection is
 * dropped.
 */
export async function setStatementTimeout(tx: Database, milliseconds: number): Promise<void> {
  await tx.execute(sql`select set_config('statement_timeout', ${String(milliseconds)}, true)`);
  (tx as unknown as WithDriver).session.client.allow?.(milliseconds + MARGIN);
}
