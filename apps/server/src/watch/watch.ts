import type { RequestListener } from "node:http";
import { type Connection, observeStatements, type StatementObserver } from "@minutes/db";
import type { Logger } from "pino";
import type { Env } from "../env.js";
import { createSlowStatementLog } from "./slow-statements.js";

/** What watches a process, as its settings say. Where nothing does, it costs nothing. */
export interface Watch {
  /** Wraps the listener that answers requests. */
  readonly wrap: (listener: RequestListener) => RequestListener;
}

/** Watches the statements of a process and prepares to watch its requests. */
export function createWatch(
  env: Pick<Env, "SLOW_STATEMENT_MS">,
  { db }: Pick<Connection, "db">,
  log: Logger,
): Watch {
  const limit = env.SLOW_STATEMENT_MS;
  const slowStatements = limit === undefined ? null : createSlowStatementLog(log, limit);
  const observers: StatementObserver[] = slowStatements ? [slowStatements.onStatement] : [];
  if (observers.length > 0)
    observeStatements(db, (statement) => {
      for (const observe of observers) observe(statement);
    });
  return { wrap: (listener) => (slowStatements ? slowStatements.wrap(listener) : listener) };
}
