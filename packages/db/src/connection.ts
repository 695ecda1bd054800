import type { Database } from "./database.js";

/** An open database, migrated and ready. */
export interface Connection {
  readonly engine: "embedded" | "postgres";
  readonly db: Database;
  /**
   * Calls back with the payload after each NOTIFY on the channel, and without one whenever notifications may have been
   * missed: at the start, and after a lost connection is restored.
   * @returns a function that stops listening.
   */
  listen(channel: string, onNotify: (payload?: string) => void): Promise<() => Promise<void>>;
  /** Waits for running statements, then closes the database. */
  close(): Promise<void>;
}

/** Type id of `timestamp with time zone` on the wire of PostgreSQL. */
export const TIMESTAMPTZ = 1184;
