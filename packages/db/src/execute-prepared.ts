import type { Query, SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database } from "./database.js";

/** A part of Drizzle's databases and transactions that its types omit. */
interface WithSession {
  readonly session: {
    prepareQuery(
      query: Query,
      fields: undefined,
      name: string,
      isArray: false,
    ): { execute(): Promise<unknown> };
  };
}

const dialect = new PgDialect();

/**
 * Runs a repeated statement of a transaction as a prepared one: each connection parses and plans it once, and later
 * runs take one round trip instead of two. Its text must be the same each time.
 */
export async function executePrepared(tx: Database, statement: SQL): Promise<void> {
  const { session } = tx as unknown as WithSession;
  // On PostgreSQL, the driver names statements itself; the embedded engine prepares all repeated ones.
  await session.prepareQuery(dialect.sqlToQuery(statement), undefined, "prepared", false).execute();
}
