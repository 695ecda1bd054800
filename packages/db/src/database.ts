import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";

/** Either engine, or a transaction on it. Everything in the service that touches data takes one of these. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>;

const statements = new WeakMap<Database, Map<string, unknown>>();

/**
 * A statement built once per database and kept under its name, so that PostgreSQL parses and plans it once
 * per connection. `build` must end in `.prepare(name)`. Not for transactions, which live too briefly.
 */
export function prepared<Statement>(
  db: Database,
  name: string,
  build: (db: Database, name: string) => Statement,
): Statement {
  const known = statements.get(db) ?? new Map<string, unknown>();
  statements.set(db, known);
  const statement = known.get(name) ?? build(db, name);
  known.set(name, statement);
  return statement as Statement;
}
