import { is, Placeholder, type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database } from "./database.js";

/** Runs a statement on the engine. Rows have the names that the statement gives its columns, times in wire form. */
export type Run = (text: string, values: unknown[]) => PromiseLike<unknown>;

interface Statement {
  readonly text: string;
  /** Names of its placeholders, in order. */
  readonly names: readonly string[];
}

interface Statements {
  readonly run: Run;
  readonly known: Map<string, Statement>;
}

const statementsByDatabase = new WeakMap<Database, Statements>();
const dialect = new PgDialect();

/** Lets `execute` work on a database. */
export const enableStatements = (db: Database, run: Run): void => {
  statementsByDatabase.set(db, { run, known: new Map() });
};

/**
 * Runs a statement that is on a hot path: its text is built once under its name, PostgreSQL parses and plans it
 * once per connection, and the driver's rows are what comes back. Values go in through `sql.placeholder`.
 * `Row` is the caller's promise about the columns. Not inside transactions.
 */
export function execute<Row extends object>(
  db: Database,
  name: string,
  build: () => SQL,
  values: Readonly<Record<string, unknown>>,
): PromiseLike<Row[]> {
  const statements = statementsByDatabase.get(db);
  if (!statements) throw new TypeError("Statements run on a database, not inside a transaction.");
  let statement = statements.known.get(name);
  if (!statement) {
    statement = compile(build());
    statements.known.set(name, statement);
  }
  return statements.run(
    statement.text,
    statement.names.map((placeholder) => values[placeholder] ?? null),
  ) as PromiseLike<Row[]>;
}

/** Runs a statement as `execute` does and returns its first row, or undefined. */
export const selectOne = <Row extends object>(
  db: Database,
  name: string,
  build: () => SQL,
  values: Readonly<Record<string, unknown>>,
): PromiseLike<Row | undefined> => execute<Row>(db, name, build, values).then(([row]) => row);

function compile(query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const names = params.map((param) => {
    if (is(param, Placeholder)) return String(param.name);
    throw new TypeError("A statement's values are placeholders.");
  });
  return { text, names };
}

/** Writes a trusted number into a statement's text, where PostgreSQL has to know it to plan. */
export const toSqlNumber = (value: number): SQL => sql.raw(String(value));
