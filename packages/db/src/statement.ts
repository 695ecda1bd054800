import { is, Placeholder, type Query, type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database } from "./database.js";
import type { FairLimit, OnEnd } from "./fair-limit.js";

/** What Drizzle calls on a driver's client or transaction: the first three on PostgreSQL's, the others on the embedded engine's. */
export interface Client {
  readonly unsafe?: ((...args: unknown[]) => PromiseLike<unknown>) | undefined;
  readonly begin?: ClientTransaction | undefined;
  readonly savepoint?: ClientTransaction | undefined;
  readonly query?: ((text: string, values?: unknown[], options?: object) => PromiseLike<unknown>) | undefined;
  readonly transaction?: ClientTransaction | undefined;
}
export type ClientTransaction = (work: (client: Client) => Promise<unknown>) => Promise<unknown>;

/** Runs a statement on a client. Row fields are the statement's column names; times are in wire format. */
export type Run<Driver = Client> = (client: Driver, text: string, values: unknown[]) => PromiseLike<unknown>;

interface Statement {
  readonly text: string;
  /** Name for observers: without numbers, such as a page size. */
  readonly family: string;
  /** Names of its placeholders, in order. */
  readonly names: readonly string[];
}

/** A finished named statement or transaction. */
export interface FinishedStatement {
  /** Name in the code, without numbers; `transaction` for a transaction. */
  readonly name: string;
  /** Time from the call to the last row, including the wait for a connection. */
  readonly milliseconds: number;
  readonly failed: boolean;
}

export type StatementObserver = (statement: FinishedStatement) => void;

interface Statements {
  readonly client: Client;
  /** The same for all clients of a database. */
  readonly shared: {
    readonly run: Run;
    readonly heavy: HeavyWork;
    readonly known: Map<string, Statement>;
    observe: StatementObserver | null;
  };
}

/** How heavy work runs, so that others get connections and the processor. */
export interface HeavyWork<Driver = Client> {
  /** Runs a heavy statement. */
  readonly run: Run<Driver>;
  readonly statements: FairLimit;
  readonly calls: FairLimit;
}

const statementsByDatabase = new WeakMap<Database, Statements>();
const dialect = new PgDialect();

/** A transaction of a database. */
type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

/** A part of Drizzle's databases and transactions that its types omit. */
export interface WithSession {
  readonly session: {
    readonly client: Client;
    prepareQuery(
      query: Query,
      fields: undefined,
      name: string,
      isArray: false,
    ): { execute(): Promise<unknown> };
  };
}

/** Enables named statements on a database and in its transactions. */
export function enableStatements<Driver>(
  db: Database,
  client: Driver,
  run: Run<Driver>,
  heavy: HeavyWork<Driver>,
): void {
  const shared = { run, heavy, known: new Map(), observe: null } as unknown as Statements["shared"];
  statementsByDatabase.set(db, { client: client as Client, shared });
  const transaction = db.transaction.bind(db);
  db.transaction = (work, config) => transaction(withStatements(db, work), config);
}

/** Enables the named statements of a database in a transaction of it. @returns the transaction's work */
export const withStatements =
  <Result>(db: Database, work: (tx: Transaction) => Promise<Result>) =>
  (tx: Transaction): Promise<Result> => {
    shareStatements(db, tx, (tx as unknown as WithSession).session.client);
    return work(tx);
  };

/** Enables the named statements of a database on another one, which sends them to a client of its own. */
export const shareStatements = (db: Database, other: Database, client: Client): void => {
  const statements = statementsByDatabase.get(db);
  if (statements) statementsByDatabase.set(other, { ...statements, client });
};

/** Returns true on the embedded engine, which runs one statement at a time: a long one holds up all others. */
export const isSerial = (db: Database): boolean => statementsByDatabase.get(db)?.client.unsafe === undefined;

/** Reports the duration of a transaction of a database if it is observed. */
export const observeTransaction = <Result>(db: Database, running: Promise<Result>): Promise<Result> => {
  const observe = statementsByDatabase.get(db)?.shared.observe;
  return observe ? measure(observe, "transaction", running) : running;
};

/**
 * Calls back after each named statement and transaction of a database. Statements of Drizzle's builders are unnamed and
 * not observed.
 */
export function observeStatements(db: Database, observe: StatementObserver): void {
  const statements = statementsByDatabase.get(db);
  if (!statements) throw new TypeError("Statements are observed on a database, not inside a transaction.");
  const isObserved = statements.shared.observe !== null;
  statements.shared.observe = observe;
  if (isObserved) return;
  const transaction = db.transaction.bind(db);
  db.transaction = (work, config) => observeTransaction(db, transaction(work, config));
}

/**
 * Runs a hot-path statement. Its text is built once per name, PostgreSQL parses and plans it once per connection, and
 * the driver's rows are returned as they are. Pass values with `sql.placeholder`. The caller vouches for the columns of
 * `Row`. Runs in a transaction of the database, too, but not in a nested one.
 * @param holder of a statement that can take seconds: runs it with a shorter timeout, and few of a holder at once, so that
 *   others get connections; ignored in a transaction, which has its connection @throws TooManyWaitingError
 */
export function runNamedStatement<Row extends object>(
  db: Database,
  name: string,
  build: () => SQL,
  values: Readonly<Record<string, unknown>>,
  { holder }: { readonly holder?: string | undefined } = {},
): PromiseLike<Row[]> {
  const statements = statementsByDatabase.get(db);
  if (!statements)
    throw new TypeError("Statements run on a database or its transaction, not in a nested one.");
  const { client, shared } = statements;
  let statement = shared.known.get(name);
  if (!statement) {
    statement = { ...compile(build()), family: name.replace(/_\d+/g, "") };
    shared.known.set(name, statement);
  }
  const { text, names } = statement;
  const given = names.map((placeholder) => values[placeholder] ?? null);
  const running = (
    holder === undefined || "rollback" in db
      ? shared.run(client, text, given)
      : shared.heavy.statements.run(holder, () => shared.heavy.run(client, text, given))
  ) as PromiseLike<Row[]>;
  return shared.observe ? measure(shared.observe, statement.family, running) : running;
}

/**
 * Runs a costly call in the turn of its holder, with few of a holder at once.
 * @param onEnd refuses the call if it still waits; by default, the limit's patience does
 * @throws TooManyWaitingError
 */
export const runInTurn = <Result>(
  db: Database,
  holder: string,
  call: () => Promise<Result>,
  onEnd?: OnEnd,
): Promise<Result> => {
  const calls = statementsByDatabase.get(db)?.shared.heavy.calls;
  return calls ? calls.run(holder, call, onEnd) : call();
};

/** Waits for a statement and reports its duration. */
async function measure<Result>(
  observe: StatementObserver,
  name: string,
  running: PromiseLike<Result>,
): Promise<Result> {
  const started = performance.now();
  let failed = true;
  try {
    const result = await running;
    failed = false;
    return result;
  } finally {
    observe({ name, milliseconds: performance.now() - started, failed });
  }
}

function compile(query: SQL): Omit<Statement, "family"> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const names = params.map((param) => {
    if (is(param, Placeholder)) return String(param.name);
    throw new TypeError("A statement's values are placeholders.");
  });
  return { text, names };
}

/** Inlines a trusted number into a statement's text, where the planner has to know it. */
export const toSqlNumber = (value: number): SQL => sql.raw(String(value));

/**
 * Runs a repeated statement of a transaction as a prepared one: each connection parses and plans it once, and later
 * runs take one round trip instead of two. Its text must be the same each time.
 */
export async function executePrepared(tx: Database, statement: SQL): Promise<void> {
  const { session } = tx as unknown as WithSession;
  // On PostgreSQL, the driver names statements itself; the embedded engine prepares all repeated ones.
  await session.prepareQuery(dialect.sqlToQuery(statement), undefined, "prepared", false).execute();
}

/** An element of an array. */
export type ArrayItem = string | number | boolean | null;

const ESCAPED = /["\\]/g;

/** Formats an array as PostgreSQL text: `{"it's","a \"word\"",NULL,5}`. */
export function writeArray(items: readonly ArrayItem[]): string {
  let text = "{";
  for (let at = 0; at < items.length; at++) {
    if (at > 0) text += ",";
    const item = items[at] as ArrayItem;
    if (typeof item !== "string") text += item === null ? "NULL" : item;
    else text += `"${item.includes('"') || item.includes("\\") ? item.replace(ESCAPED, "\\$&") : item}"`;
  }
  return `${text}}`;
}
