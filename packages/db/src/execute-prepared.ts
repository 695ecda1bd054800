import type { Query, SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database } from "./database.js";

/** What Drizzle's databases and transactions have, and its types leave out. */
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
 * Runs a statement of a transaction that comes again with other values: each connection has it parsed and planned once,
 * and answers it in one round trip instead of two. Its text must be the same each time.
 */
export async function executePrepared(tx: Database, statement: SQL): Promise<void> {
  const { session } = tx as unknown as WithSession;
  // On PostgreSQL, the driver names statements itself; on the embedded engine, all that come again are prepared.
  await session.prepareQuery(dialect.sqlToQuery(statement), undefined, "prepared", false).execute();
}
