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
  /** Maximum number of connections. */
  readonly poolSize?: number;
  /**
   * Timeout in ms after which the server cancels a statement; shortly afterwards the pool drops a connection that is
   * still silent. No timeout by default. On a pooler's sessions, the pooler sets the server's timeout.
   */
  readonly statementTimeout?: number;
  /** False skips migrations. */
  readonly migrate?: boolean;
}

/** Fixed delay in seconds between connection attempts. It is short because a database restart should cost little. */
const RECONNECT_SECONDS = 0.25;

/** Session settings that PgBouncer passes on. The others must be set on the pooler. */
const SETTINGS = {
  application_name: "minutes",
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

/** Timeout in ms of a transaction that waits for its client: three times the maximum duration of a call. */
const IDLE_TRANSACTION_TIMEOUT = 15_000;

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
    await migratePostgres(directUrl ?? url, { isDirect: directUrl !== undefined });
  }
  const create = (address: string, isPooled: boolean) =>
    createClient(address, {
      max: poolSize,
      backoff: () => RECONNECT_SECONDS,
      ...(isPooled && unnamedStatements ? UNNAMED_STATEMENTS : {}),
      connection: isPooled
        ? SETTINGS
        : {
            ...UNPOOLED_SETTINGS,
            ...(statementTimeout === undefined
              ? {}
              : {
                  statement_timeout: statementTimeout,
                  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT,
                }),
          },
    });
  const client = create(url, directUrl !== undefined);
  // Connects only when listening starts, with a single connection.
  const direct = directUrl === undefined ? client : create(directUrl, false);
  const db = drizzle(client) as unknown as Database;
  // Drizzle replaced these parsers with ones that leave times unparsed.
  client.options.parsers[TIMESTAMPTZ] = toInstant;
  enableStatements(db, client, run, {
    run: statementTimeout === undefined ? run : limitTime(Math.floor(statementTimeout * HEAVY_TIMEOUT)),
    limit: new FairLimit({
      ...HEAVY,
      total: Math.max(1, Math.floor(poolSize / 2)),
      perHolder: Math.max(1, Math.floor(poolSize / 5)),
    }),
  });
  const listen = async (channel: string, onNotify: (payload?: string) => void) =>
    (await direct.listen(channel, onNotify, () => onNotify())).unlisten;
  const pools =
    directUrl === undefined
      ? [{ pool: client, url }]
      : [
          { pool: client, url },
          { pool: direct, url: directUrl },
        ];
  const watches = pools
    .filter((each) => hasSeveralHosts(each.url))
    .map((each) => watchServer(each.pool, each.url));
  const stopDropping =
    statementTimeout === undefined ? [] : pools.map(({ pool }) => dropOverdue(pool, statementTimeout));
  const close = async () => {
    for (const stop of stopDropping) stop();
    await Promise.all(watches.map((stop) => stop()));
    await Promise.all(pools.map(({ pool }) => pool.end({ timeout: 5 })));
  };
  return { engine: "postgres", db, listen, close };
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
