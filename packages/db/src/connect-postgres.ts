import { drizzle } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";
import { type Connection, type Database, TIMESTAMPTZ } from "./database.js";
import { dropOverdue } from "./drop-overdue.js";
import { FairLimit, HEAVY } from "./fair-limit.js";
import { migratePostgres } from "./migrate.js";
import { requireUsablePooler } from "./pooler.js";
import { createClient, hasSeveralHosts } from "./postgres-client.js";
import { toInstant } from "./schema/types.js";
import { enableStatements } from "./statement.js";
import { watchServer } from "./watch-server.js";

export interface PostgresOptions {
  /** URL of the database, or of a pooler if there is a `directUrl`. */
  readonly url: string;
  /** URL of the database itself, for migrations, locks and notifications; defaults to `url`. */
  readonly directUrl?: string | undefined;
  /**
   * True sends unnamed statements, one at a time per connection, for poolers without prepared statements.
   * @see docs/decisions/0210-failover.md
   */
  readonly unnamedStatements?: boolean;
  /** Maximum number of connections, without those of background work. */
  readonly poolSize?: number;
  /**
   * Timeout in ms after which the server cancels a statement; shortly afterwards the pool drops a connection that is
   * still silent. No timeout by default. On a pooler's sessions, the pooler sets the server's timeout. With a timeout,
   * background work has a pool and a timeout of its own.
   */
  readonly statementTimeout?: number;
  /** False skips migrations. */
  readonly migrate?: boolean;
  /** Called with a sentence when a migration waits for other sessions. */
  readonly onWait?: ((note: string) => void) | undefined;
}

/** Fixed delay in seconds between connection attempts. It is short because a database restart should cost little. */
const RECONNECT_SECONDS = 0.25;

/** Session settings that PgBouncer passes on. The others must be set on the pooler. */
const SETTINGS = {
  TimeZone: "UTC",
  // The formats that `toInstant` and the driver parse, whatever the server, database or role prefers.
  DateStyle: "ISO",
};

const UNPOOLED_SETTINGS = {
  ...SETTINGS,
  // Compiling a plan takes longer than any of our statements; PostgreSQL would try it for a large search.
  jit: "off",
  bytea_output: "hex",
  // Releases the locks of a lost machine within half a minute. In seconds, except the last one in ms.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
};

/** Timeouts in ms: of a statement, and of a transaction that waits for its client. */
interface Timeouts {
  readonly statement: number;
  readonly idle: number;
}

/** Timeout in ms of a transaction that waits for its client: three times the maximum duration of a call. */
const IDLE_TRANSACTION_TIMEOUT = 15_000;

/** The pool of background work, whose statements can take as long as an import. It connects when they begin. */
const BACKGROUND = { connections: 3, timeouts: { statement: 60_000, idle: 60_000 } };

/** Timeout of a statement that can take seconds, such as a search, as a share of others': a call has time left after it. */
const HEAVY_TIMEOUT = 0.6;

/**
 * Sends a statement only after the previous one was answered: old poolers switch sessions after an answer, even if part
 * of the next statement has arrived.
 */
const UNNAMED_STATEMENTS = { prepare: false, max_pipeline: 0 };

/**
 * Connects to PostgreSQL 15 or newer and migrates it.
 * @throws SchemaNewerError if a newer version wrote the schema; ExplainedError
 */
export async function connectPostgres(options: PostgresOptions): Promise<Connection> {
  const { url, directUrl, statementTimeout, unnamedStatements = false, poolSize = 10 } = options;
  if (options.migrate !== false) {
    const needsTimeout = statementTimeout !== undefined;
    if (directUrl !== undefined)
      await requireUsablePooler({ url, directUrl, needsTimeout, needsStatements: !unnamedStatements });
    await migratePostgres(directUrl ?? url, { isDirect: directUrl !== undefined, onWait: options.onWait });
  }
  const timeouts =
    statementTimeout === undefined ? null : { statement: statementTimeout, idle: IDLE_TRANSACTION_TIMEOUT };
  const create = (address: string, max: number, limits: Timeouts | null, isPooled = false) =>
    createClient(address, {
      max,
      backoff: () => RECONNECT_SECONDS,
      ...(isPooled && unnamedStatements ? UNNAMED_STATEMENTS : {}),
      connection: isPooled
        ? SETTINGS
        : {
            ...UNPOOLED_SETTINGS,
            // Without a limit, a role's or database's would cancel long commands. The driver leaves out the number 0, so it is text.
            statement_timeout: limits?.statement ?? ("0" as unknown as number),
            ...(limits && { idle_in_transaction_session_timeout: limits.idle }),
          },
    });
  const client = create(url, poolSize, timeouts, directUrl !== undefined);
  // Connects only when listening starts, with a single connection.
  const direct = directUrl === undefined ? client : create(directUrl, 1, timeouts);
  const heavyTimeout = timeouts && Math.floor(timeouts.statement * HEAVY_TIMEOUT);
  const db = openPool(client, poolSize, heavyTimeout);
  const pools = [
    { pool: client, url, timeouts },
    ...(directUrl === undefined ? [] : [{ pool: direct, url: directUrl, timeouts }]),
  ];
  let background = db;
  // Not through a pooler, which would set the timeouts of calls.
  if (timeouts) {
    const address = directUrl ?? url;
    const pool = create(address, BACKGROUND.connections, BACKGROUND.timeouts);
    background = openPool(pool, BACKGROUND.connections, null);
    pools.push({ pool, url: address, timeouts: BACKGROUND.timeouts });
  }
  const listen = async (channel: string, onNotify: (payload?: string) => void) =>
    (await direct.listen(channel, onNotify, () => onNotify())).unlisten;
  const watches = pools
    .filter((each) => hasSeveralHosts(each.url))
    .map((each) => watchServer(each.pool, each.url));
  const stopDropping = pools.flatMap((each) =>
    each.timeouts ? [dropOverdue(each.pool, each.timeouts.statement)] : [],
  );
  const close = async () => {
    for (const stop of stopDropping) stop();
    await Promise.all(watches.map((stop) => stop()));
    await Promise.all(pools.map(({ pool }) => pool.end({ timeout: 5 })));
  };
  return { engine: "postgres", db, background, listen, close };
}

/** Parts of a pool's connections for heavy statements, for costly calls, and for those of one holder. A fifth is left for others. */
const HEAVY_SHARES = { statements: 0.5, calls: 0.3, holder: 0.2 };

/** Creates the database of a pool. @param heavyTimeout in ms of statements that can take seconds; null: the usual one */
function openPool(client: Sql, connections: number, heavyTimeout: number | null): Database {
  const db = drizzle(client) as unknown as Database;
  // Drizzle replaced these parsers with ones that leave times unparsed.
  client.options.parsers[TIMESTAMPTZ] = toInstant;
  const createLimit = (share: number) =>
    new FairLimit({
      ...HEAVY,
      total: Math.max(1, Math.floor(connections * share)),
      perHolder: Math.max(1, Math.floor(connections * HEAVY_SHARES.holder)),
    });
  enableStatements(db, client, run, {
    run: heavyTimeout === null ? run : limitTime(heavyTimeout),
    statements: createLimit(HEAVY_SHARES.statements),
    calls: createLimit(HEAVY_SHARES.calls),
  });
  return db;
}

type Unsafe = Pick<Sql, "unsafe">;

const run = ({ unsafe }: Unsafe, text: string, values: unknown[]) =>
  unsafe(text, values as never[], { prepare: true });

/** Runs a statement with a timeout of its own, which needs a transaction: behind a pooler, sessions change. */
const limitTime = (milliseconds: number) => (client: Sql, text: string, values: unknown[]) =>
  client.begin(async (tx) => {
    // Sent together; the driver sends a statement when it is awaited.
    const [, rows] = await Promise.all([
      tx.unsafe(`set local statement_timeout = ${milliseconds}`),
      run(tx, text, values),
    ]);
    return rows;
  });
