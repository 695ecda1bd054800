import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";

/** A database or a transaction, on either engine. Everything that accesses data takes one of these. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** An open and migrated database. */
export interface Connection {
  readonly engine: "embedded" | "postgres";
  readonly db: Database;
  /** The same for background work, with connections and a longer statement timeout of its own on PostgreSQL. */
  readonly background: Database;
  /**
   * Calls back with the payload of each NOTIFY on the channel, and without one whenever notifications may have been
   * missed: at the start and after a reconnect.
   * @returns a function that stops listening
   */
  listen(channel: string, onNotify: (payload?: string) => void): Promise<() => Promise<void>>;
  /** Waits for running statements, then closes the database. */
  close(): Promise<void>;
}

/** PostgreSQL's type OID of `timestamp with time zone`. */
export const TIMESTAMPTZ = 1184;
