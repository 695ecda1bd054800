import { PgDatabase } from "drizzle-orm/pg-core";
import type { Database } from "./database.js";
import {
  type Client,
  type ClientTransaction,
  observeTransaction,
  shareStatements,
  type WithSession,
  withStatements,
} from "./statement.js";
import { withTimeout } from "./with-timeout.js";

/**
 * Time in ms that a late call waits for the outcome of a write that can't be stopped anymore: the longest that the
 * database works on a statement.
 */
const OUTCOME = 5_000;

const LATE: unique symbol = Symbol("late");

/** The time that a call may take. Time between the promises given to `within` does not count. */
export class Deadline {
  #left: number;
  readonly #toError: () => Error;
  #error: Error | null = null;
  /** Stop the running statements. */
  readonly #stops = new Set<() => void>();
  /** Number of writes that can't be stopped. */
  #decisive = 0;

  /** @param milliseconds in total @param toError creates the error of a late call */
  constructor(milliseconds: number, toError: () => Error) {
    this.#left = milliseconds;
    this.#toError = toError;
  }

  /** Ends work that asks between its steps. @throws the deadline's error once it has passed */
  check(): void {
    if (this.#error) throw this.#error;
  }

  /**
   * Waits for work until the deadline, then stops its statements and rejects. If a write was sent that can't be stopped,
   * waits for its outcome: after the error nothing is stored anymore, unless the database does not answer.
   */
  async within<Result>(work: PromiseLike<Result>): Promise<Result> {
    const started = performance.now();
    try {
      const result: Result | typeof LATE = await withTimeout(work, this.#left, () => LATE);
      return result === LATE ? await this.#pass(work) : result;
    } finally {
      this.#left -= performance.now() - started;
    }
  }

  async #pass<Result>(work: PromiseLike<Result>): Promise<Result> {
    const error = this.#toError();
    this.#error = error;
    for (const stop of this.#stops) stop();
    if (this.#decisive === 0) throw error;
    const outcome: Promise<Result | typeof LATE> = withTimeout(work, OUTCOME, () => LATE);
    const result = await outcome.catch(() => LATE);
    if (result === LATE) throw error;
    return result as Result;
  }

  /** Calls back when the deadline passes. @returns a function that forgets the callback */
  onPass(stop: () => void): () => void {
    this.#stops.add(stop);
    return () => void this.#stops.delete(stop);
  }

  /** Makes a late call wait for the outcome of a write. */
  awaitOutcome(write: PromiseLike<unknown>): void {
    this.#decisive += 1;
    const settle = () => {
      this.#decisive -= 1;
    };
    write.then(settle, settle);
  }
}

/** A statement of PostgreSQL's driver. */
interface DriverQuery extends PromiseLike<unknown> {
  /** Set once it was sent. */
  readonly state?: unknown;
  /** True while the server works on it; those sent after it wait. */
  readonly active?: boolean;
  cancel(): PromiseLike<unknown>;
}

/** The databases behind those that end with a call. */
const unlimited = new WeakMap<Database, Database>();

/** Returns a database whose work doesn't end with the call: to take back what the call did before its deadline passed. */
export const outliveCall = (db: Database): Database => unlimited.get(db) ?? db;

/**
 * Returns a database whose work ends with a deadline: a statement that was not sent by then never runs, and a transaction
 * is rolled back, its running statement canceled. What was sent outside of a transaction, and a commit, decide the call.
 */
export function endWith(deadline: Deadline, db: Database): Database {
  const { session } = db as unknown as WithSession;
  const client = limitClient(deadline, session.client);
  // Not the database's own: if it is observed, that is bound to its session.
  const { transaction } = PgDatabase.prototype as Database;
  const limited = Object.create(db, {
    session: { value: Object.create(session, { client: { value: client } }) },
    transaction: {
      value: (...[work, config]: Parameters<typeof transaction>) =>
        observeTransaction(db, transaction.call(limited, withStatements(limited, work), config)),
    },
  }) as Database;
  shareStatements(db, limited, client);
  unlimited.set(limited, outliveCall(db));
  return limited;
}

/** Replaces functions of a driver's client; undefined ones stay as they are. */
function override(client: Client, functions: Client): Client {
  const overridden = Object.create(client) as Client;
  for (const [name, value] of Object.entries(functions))
    if (value) Object.defineProperty(overridden, name, { value });
  return overridden;
}

/** Limits statements outside of transactions, and transactions. */
function limitClient(deadline: Deadline, client: Client): Client {
  const { unsafe, begin, query, transaction } = client;
  return override(client, {
    unsafe: unsafe && ((...args) => limitStatement(deadline, () => unsafe(...args))),
    begin: begin && ((work) => limitTransaction(deadline, begin, work)),
    query:
      query &&
      ((text, values, options) =>
        limitStatement(deadline, () => query(text, values, { ...options, onStart: () => deadline.check() }))),
    transaction: transaction && ((work) => limitTransaction(deadline, transaction, work)),
  });
}

function limitStatement<Running extends PromiseLike<unknown>>(
  deadline: Deadline,
  send: () => Running,
): Running {
  deadline.check();
  const running = send();
  const forget = deadline.onPass(() => {
    const { state, cancel } = running as Partial<DriverQuery>;
    // The next statement on its connection can be another call's: canceling one that was sent could hit that.
    if (cancel && !state) void cancel.call(running);
    else deadline.awaitOutcome(running);
  });
  running.then(forget, forget);
  return running;
}

/** Runs a transaction that ends with the deadline unless its commit was sent. */
function limitTransaction(
  deadline: Deadline,
  begin: ClientTransaction,
  work: (client: Client) => Promise<unknown>,
): Promise<unknown> {
  deadline.check();
  const running = begin(async (client) => {
    const statements = new Set<DriverQuery>();
    let canceled: PromiseLike<unknown> | undefined;
    const forget = deadline.onPass(() => {
      for (const statement of statements)
        if (statement.active) canceled = Promise.resolve(statement.cancel()).catch(() => {});
    });
    try {
      const result = await work(limitWithin(deadline, client, statements));
      deadline.check();
      deadline.awaitOutcome(running);
      return result;
    } catch (error) {
      // Or the cancellation could hit the statement of another call that gets the connection next.
      await canceled;
      throw error;
    } finally {
      forget();
    }
  });
  return running;
}

/** Limits the statements of a transaction. @param statements those that run */
function limitWithin(deadline: Deadline, client: Client, statements: Set<DriverQuery>): Client {
  const { unsafe, query, savepoint } = client;
  return override(client, {
    unsafe:
      unsafe &&
      ((...args) => {
        deadline.check();
        const statement = unsafe(...args) as DriverQuery;
        statements.add(statement);
        const forget = () => void statements.delete(statement);
        statement.then(forget, forget);
        return statement;
      }),
    query:
      query &&
      ((...args) => {
        deadline.check();
        return query(...args);
      }),
    savepoint: savepoint && ((work) => savepoint((inner) => work(limitWithin(deadline, inner, statements)))),
  });
}
