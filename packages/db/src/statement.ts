import { is, Placeholder, type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database } from "./database.js";

/** Runs a statement on the engine. Rows have the names that the statement gives its columns, times in wire form. */
export type Run = (text: string, values: unknown[]) => PromiseLike<unknown>;

interface Statement {
  readonly text: string;
  /** What observers know it as: its name without numbers, such as the length of a page. */
  readonly family: string;
  /** Names of its placeholders, in order. */
  readonly names: readonly string[];
}

/** A named statement, or a transaction, that has ended. */
export interface FinishedStatement {
  /** Its name in the code, without numbers; `transaction` for a transaction. */
  readonly name: string;
  /** From the call to the last row, with the wait for a connection. */
  readonly milliseconds: number;
  /** Part of these that it waited for a connection of the pool; known of one statement in 16 on PostgreSQL, otherwise null. */
  readonly waited: number | null;
  readonly failed: boolean;
}

export type StatementObserver = (statement: FinishedStatement) => void;

/** Calls back when the driver sends a statement that `Run` returned. */
export type WatchSending = (running: unknown, onSending: () => void) => void;

interface Statements {
  readonly run: Run;
  readonly known: Map<string, Statement>;
  readonly watchSending: WatchSending | undefined;
  observe: StatementObserver | null;
  /** Statements that were observed. */
  observed: number;
}

/** Of so many statements, one is asked how long it waited: watching the driver costs more than all else that is measured. */
const STATEMENTS_PER_WAIT = 16;

const statementsByDatabase = new WeakMap<Database, Statements>();
const dialect = new PgDialect();

/** Lets `execute` work on a database. */
export const enableStatements = (db: Database, run: Run, watchSending?: WatchSending): void => {
  statementsByDatabase.set(db, { run, known: new Map(), watchSending, observe: null, observed: 0 });
};

/**
 * Calls back after each named statement and each transaction of a database. Statements of Drizzle's own builders have no
 * name and are not observed.
 */
export function observeStatements(db: Database, observe: StatementObserver): void {
  const statements = statementsByDatabase.get(db);
  if (!statements) throw new TypeError("Statements are observed on a database, not inside a transaction.");
  statements.observe = observe;
  const transaction = db.transaction.bind(db);
  db.transaction = (work, config) => measure(observe, "transaction", transaction(work, config));
}

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
    statement = { ...compile(build()), family: name.replace(/_\d+/g, "") };
    statements.known.set(name, statement);
  }
  const running = statements.run(
    statement.text,
    statement.names.map((placeholder) => values[placeholder] ?? null),
  ) as PromiseLike<Row[]>;
  if (!statements.observe) return running;
  const isAsked = statements.observed++ % STATEMENTS_PER_WAIT === 0;
  const watchSending = isAsked ? statements.watchSending : undefined;
  return measure(statements.observe, statement.family, running, watchSending);
}

/** Waits for a statement and reports how long it took. */
async function measure<Result>(
  observe: StatementObserver,
  name: string,
  running: PromiseLike<Result>,
  watchSending?: WatchSending,
): Promise<Result> {
  const started = performance.now();
  let waited: number | null = null;
  watchSending?.(running, () => {
    waited ??= performance.now() - started;
  });
  let failed = true;
  try {
    const result = await running;
    failed = false;
    return result;
  } finally {
    observe({ name, milliseconds: performance.now() - started, waited, failed });
  }
}

/** Runs a statement as `execute` does and returns its first row, or undefined. */
export const selectOne = <Row extends object>(
  db: Database,
  name: string,
  build: () => SQL,
  values: Readonly<Record<string, unknown>>,
): PromiseLike<Row | undefined> => execute<Row>(db, name, build, values).then(([row]) => row);

function compile(query: SQL): Omit<Statement, "family"> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const names = params.map((param) => {
    if (is(param, Placeholder)) return String(param.name);
    throw new TypeError("A statement's values are placeholders.");
  });
  return { text, names };
}

/** Writes a trusted number into a statement's text, where PostgreSQL has to know it to plan. */
export const toSqlNumber = (value: number): SQL => sql.raw(String(value));
